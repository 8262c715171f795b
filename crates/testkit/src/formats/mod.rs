//! Images, PDF documents and notebooks as tests need them: small, broken, and made to hurt.

pub mod hostile;
pub mod pdf;
pub mod picture;

/// A PDF of `fixtures/`, which other programs made.
pub fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)).unwrap()
}
