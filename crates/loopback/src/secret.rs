//! Random names that cannot be guessed.

use std::fmt::Write;

/// 256 random bits, as 64 hexadecimal digits.
///
/// # Panics
///
/// If the system has no random numbers: nothing else would do.
#[expect(clippy::panic, reason = "a secret that can be guessed would be worse")]
pub fn random() -> String {
    let mut bytes = [0; 32];
    if let Err(error) = getrandom::fill(&mut bytes) {
        panic!("the system gives no random numbers: {error}");
    }
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

/// Whether two secrets are equal, in a time that says nothing about where they differ.
pub fn same(one: &[u8], other: &[u8]) -> bool {
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
