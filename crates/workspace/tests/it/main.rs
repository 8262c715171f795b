//! The workspace from outside, on real directories, for both resolvers.

mod paths;
mod support;
