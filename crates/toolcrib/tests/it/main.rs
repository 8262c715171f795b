//! The library's edge: every scenario, and what must hold for every tool of every dialect.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test fails by panicking"
)]

mod approvals;
mod budget;
mod client_tools;
mod config;
mod continued;
mod details;
mod documents;
mod every_dialect;
mod failed;
mod half_done;
mod hard_links;
mod hostile;
mod index;
mod journal;
mod matrix;
mod more_tools;
mod names;
mod oracle;
mod partly;
mod patch;
mod probes;
mod protected;
mod race;
mod registry;
mod roots;
mod same_answers;
mod scale;
mod scenarios;
mod selection;
mod toolbox;
mod undo;
mod user;
