//! What one call may cost: how much larger it may make files, how much memory it may take, and when it ends.
//!
//! A small request must not make a large file, fill the memory or keep a processor busy after no caller waits for it any
//! more. So results are measured before they are made, memory is asked for before it is used, and everything that takes
//! long asks whether the call goes on.

use toolcrib_access::Sandbox;
use toolcrib_edit::Bounds;
use toolcrib_text::{NoMemory, Reserved, Stop, Stopped};
use toolcrib_tool::{ErrorKind, ToolError};

/// How many bytes one call may add to files, beyond what the request itself contains.
///
/// Files may have so much more than they had, or than the request holds, whichever is more: replacing every `a` by a
/// kilobyte is refused where it would make a gigabyte, and writing ten megabytes that were sent is not.
pub const MAX_GROWTH: usize = 16 << 20;

/// How large the files of a call may become together, if they have so many bytes now and the request has so many.
pub(crate) fn bounds<'s>(growth: usize, now: usize, request: usize, stop: &'s dyn Stop) -> Bounds<'s> {
    Bounds { size: now.max(request).saturating_add(growth), stop }
}

/// What ends the work of a call. Its time may be up, or its caller may have cancelled it.
pub(crate) fn until_over<'a>(sandbox: &'a Sandbox<'_>) -> impl Stop + 'a {
    || sandbox.checkpoint().is_err()
}

/// Why a call ends that was stopped.
pub(crate) fn stopped<'a>(sandbox: &'a Sandbox<'_>) -> impl Fn(Stopped) -> ToolError + 'a {
    |_| match sandbox.checkpoint() {
        Err(reason) => reason,
        Ok(()) => ToolError::new(ErrorKind::Internal, "The work was stopped although the sandbox goes on"),
    }
}

/// Makes sure of memory for a call.
pub(crate) fn reserve(bytes: usize) -> Result<Reserved, ToolError> {
    Reserved::new(bytes).map_err(|error| no_memory(&error))
}

pub(crate) fn no_memory(error: &NoMemory) -> ToolError {
    ToolError::new(ErrorKind::TooLarge, format!("Not enough memory: {error}"))
        .hint("ask for less at once, or give the process more memory")
}

/// How much memory it takes to change a text: it is held as it is, as it becomes and as bytes, compared line by line, and
/// kept for the record.
pub(crate) fn to_change(text: &str, bytes: usize) -> usize {
    /// How often the text is held, and its bytes where they are not the text.
    const COPIES: usize = 4;
    /// What a line takes: where it begins, its number among others, its part in a comparison, its place among those that an
    /// anchor of a patch may mean.
    const EACH_LINE: usize = 40;
    let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    (text.len() + bytes).saturating_mul(COPIES).saturating_add(lines.saturating_mul(EACH_LINE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_of_file_and_request_counts() {
        let size = |now, request| bounds(10, now, request, &|| false).size;
        assert_eq!((size(100, 5), size(5, 100), size(0, 0)), (110, 110, 10));
        assert_eq!(bounds(usize::MAX, 1, 1, &|| false).size, usize::MAX);
    }
}
