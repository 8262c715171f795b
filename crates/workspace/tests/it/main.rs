//! The workspace from outside, on real directories, for both resolvers.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "tests arrange the disk by its ordinary means, fail loudly and print their figures"
)]

mod ahead;
mod commits;
mod directories;
mod exchange;
mod kinds;
mod links;
mod lockdown;
mod locks;
mod mounts;
mod names;
mod narrow;
mod notices;
mod oracle;
mod parting;
mod paths;
mod places;
mod protected;
mod race;
mod scan;
mod snapshots;
mod support;
mod trees;
mod user;
mod without;
