//! The project's own chores: `cargo xtask test` is everything that must hold before a change lands.

fn main() {}
