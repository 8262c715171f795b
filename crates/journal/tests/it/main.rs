//! The journal from outside, on real directories and with real processes that die.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests arrange the disk by its ordinary means, fail loudly and print their figures"
)]

mod anywhere;
mod crash;
mod damage;
mod foreign;
mod killed;
mod later;
mod old;
mod power;
mod records;
mod roots;
mod selection;
mod sequences;
mod slots;
mod support;
mod sweep;
mod together;
mod undo;
mod victim;
mod waiting;
