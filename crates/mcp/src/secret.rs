//! Random names that nobody can guess.

use std::fmt::Write;

use rustix::rand::{GetRandomFlags, getrandom};

/// 256 bits from the kernel, as text.
///
/// # Panics
///
/// If the kernel has no random numbers: nothing else would do.
#[expect(clippy::panic, reason = "a secret that can be guessed would be worse")]
pub(crate) fn random() -> String {
    let mut bytes = [0; 32];
    let mut filled = 0;
    while filled < bytes.len() {
        match getrandom(&mut bytes[filled..], GetRandomFlags::empty()) {
            Ok(more) => filled += more,
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => panic!("the kernel gives no random numbers: {errno}"),
        }
    }
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

/// Whether two secrets are equal, in a time that says nothing about where they differ.
pub(crate) fn same(one: &[u8], other: &[u8]) -> bool {
    constant_time_eq::constant_time_eq(one, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_are_compared_whole() {
        let (one, other) = (random(), random());
        assert_eq!((one.len(), one == other), (64, false));
        assert!(same(one.as_bytes(), one.as_bytes()));
        assert!(!same(one.as_bytes(), other.as_bytes()));
        assert!(!same(one.as_bytes(), &one.as_bytes()[..63]));
        assert!(!same(b"", one.as_bytes()));
    }
}
