//! A file's bytes as they are, for clients that show images and play sounds.

use std::path::{Path, PathBuf};

use toolcrib_access::{Extent, Sandbox};
use toolcrib_tool::{ErrorKind, ToolError};

use super::open;
use crate::{FilePath, ReadRequest};

/// The bytes of a file, and what its name says they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Media {
    /// The file.
    pub path: FilePath,
    /// What it is, such as `image/png`.
    pub mime_type: &'static str,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Media {
    /// The largest file that is given in one answer.
    pub const MAX_BYTES: u64 = 20 * 1024 * 1024;

    /// The bytes in base64.
    #[must_use]
    pub fn base64(&self) -> String {
        toolcrib_formats::base64::encode(&self.bytes)
    }
}

/// Reads a file as it is.
///
/// # Errors
///
/// If there is no such file that may be read, or if it is too large.
pub fn read_media(sandbox: &Sandbox<'_>, path: &Path) -> Result<Media, ToolError> {
    let (source, place) = open(sandbox, &ReadRequest::new(PathBuf::from(path)))?;
    if source.size() > Media::MAX_BYTES {
        let message = format!("File is too large: {} ({} bytes)", source.path().absolute, source.size());
        let most = Media::MAX_BYTES / (1024 * 1024);
        return Err(ToolError::new(ErrorKind::TooLarge, message)
            .hint(format!("files of up to {most} MB can be given in one answer")));
    }
    let (bytes, _) = source.all()?;
    place.saw(sandbox, source.seen(), Extent::Whole)?;
    Ok(Media { path: source.path().clone(), mime_type: mime_type(path), bytes: bytes.into_owned() })
}

/// By the name alone: what the bytes are is for the client to find out.
fn mime_type(path: &Path) -> &'static str {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    match ending.as_deref() {
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("webp") => "image/webp",
        Some("bmp") => "image/bmp",
        Some("svg") => "image/svg+xml",
        Some("mp3") => "audio/mpeg",
        Some("wav") => "audio/wav",
        Some("ogg") => "audio/ogg",
        Some("flac") => "audio/flac",
        _ => "application/octet-stream",
    }
}
