//! What the process may hold open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Lets the process open as many files at once as the system allows it; the usual limit is lower, for the sake of programs
/// that cannot bear large numbers. A server needs one for each connection.
pub fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    // Where it cannot be raised, the old limit stays.
    _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_files_can_be_open_as_the_system_allows() {
        let allowed = getrlimit(Resource::Nofile).maximum;
        raise_open_files();
        assert_eq!(getrlimit(Resource::Nofile).current, allowed);
    }
}
