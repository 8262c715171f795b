//! What the process may hold open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Lets the process open as many files at once as the system allows it; the usual limit is lower, for the sake of programs
/// that cannot bear large numbers. A server needs one for each connection.
pub fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    // Where it cannot be raised, the old limit stays.
    _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}
