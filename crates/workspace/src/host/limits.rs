//! What the system allows the process: open files, and the size of a file.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::host::sys;

/// Makes a write beyond the user's limit of a file's size an error instead of the end of the process. For programs: it is
/// for the whole process.
pub fn survive_file_size_limit() {
    sys::ignore_file_size_signal();
}

/// Makes room for so many more open files, as far as the system allows it.
pub(crate) fn allow_open_files(more: usize) {
    /// What the rest of the process may have open.
    const OTHERS: u64 = 512;
    let limit = getrlimit(Resource::Nofile).current;
    if limit.is_some_and(|limit| limit < OTHERS + more as u64) {
        raise_open_files();
    }
}

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
