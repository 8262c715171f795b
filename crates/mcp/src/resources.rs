//! Files as resources: `file://` addresses, read as they are.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use rmcp::model::{
    ErrorData, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use serde_json::json;
use toolcrib::{Toolbox, names};

use crate::answer::failure;

/// The largest file that is sent whole.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// How many files one page of the list has.
const PAGE: usize = 200;

/// What stays as it is in the path of an address.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The path that a `file://` address of this machine means.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = PathBuf::from(OsString::from_vec(percent_decode_str(path).collect()));
    path.is_absolute().then_some(path)
}

pub(crate) fn address_of(path: &Path) -> String {
    format!("file://{}", percent_encode(path.as_os_str().as_bytes(), PATH))
}

/// One page of the files that searches would look into.
pub(crate) fn list(toolbox: &Toolbox, cursor: Option<&str>) -> Result<ListResourcesResult, ErrorData> {
    let offset = cursor
        .map_or(Ok(0), str::parse)
        .map_err(|_| ErrorData::invalid_params("The cursor is not one that this server gave", None))?;
    let page = toolbox.list_files(offset, PAGE, &toolbox.context()).map_err(failure)?;
    let resources = page.files.iter().map(|file| {
        let absolute = names::unescape(&file.absolute);
        Resource::new(address_of(Path::new(&absolute)), file.relative.clone())
    });
    let mut list = ListResourcesResult::with_all_items(resources.collect());
    list.next_cursor = page.next.map(|next| next.to_string());
    Ok(list)
}

pub(crate) fn templates() -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new("file://{+path}", "file")
        .with_title("A file of the workspace")
        .with_description("The file at an absolute path, as it is: text in UTF-8, anything else as base64");
    ListResourceTemplatesResult::with_all_items(vec![template])
}

/// A file as it is.
pub(crate) fn read(toolbox: &Toolbox, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let path = existing(uri)?;
    let read = toolbox.read_file(&path, MOST_BYTES, &toolbox.context());
    let bytes = read.map_err(|error| about(uri, failure(error)))?;
    let contents = match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => ResourceContents::text(text, uri),
        Ok(data) => ResourceContents::blob(STANDARD.encode(data), uri),
        Err(data) => ResourceContents::blob(STANDARD.encode(data.as_bytes()), uri),
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

pub(crate) fn existing(uri: &str) -> Result<PathBuf, ErrorData> {
    path_of(uri).ok_or_else(|| {
        let sentence = format!("Not a file:// address of this machine: {uri}");
        about(uri, ErrorData::resource_not_found(sentence, None))
    })
}

/// The protocol wants the address in the error too.
pub(crate) fn about(uri: &str, mut error: ErrorData) -> ErrorData {
    error.data = Some(json!({"uri": uri}));
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_paths_and_back() {
        let read = |uri: &str| path_of(uri).map(|path| path.display().to_string());
        assert_eq!(read("file:///home/ada/a%20b%C3%BC").as_deref(), Some("/home/ada/a bü"));
        assert_eq!(read("file://localhost/home").as_deref(), Some("/home"));
        for uri in ["file://elsewhere/home", "https://example.org/", "file:relative", "test://x"] {
            assert_eq!(read(uri), None, "{uri}");
        }
        let odd = PathBuf::from(OsString::from_vec(b"/a b/100%/\xFF?#.txt".to_vec()));
        assert_eq!(path_of(&address_of(&odd)), Some(odd));
    }
}
