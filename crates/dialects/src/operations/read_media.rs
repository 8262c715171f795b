//! A file's bytes, for clients that show or play them.

use toolcrib_access::Proposed;
use toolcrib_files::{Media, Refused};
use toolcrib_tool::Effect;

use super::{Caller, Operation};
use crate::facts::{Facts, facts};

/// Gives a file as it is.
pub struct ReadMedia;

parameters! {
    /// Which file.
    pub struct ReadMediaInput;
    file_path: String, schemars(length(min = 1)) => "The file to read";
}

impl Operation for ReadMedia {
    type Input = ReadMediaInput;
    type Outcome = Media;
    const NAME: &'static str = "read_media";
    const TITLE: &'static str = "Read Media File";
    const EFFECT: Effect = Effect::Reads;
    const MEDIA: bool = true;

    fn run(input: ReadMediaInput, caller: &Caller<'_>) -> Result<Proposed<Media>, Refused> {
        let path = caller.file(input.file_path, "file_path")?;
        let media = toolcrib_files::read_media(caller.sandbox, &path)?;
        caller.sandbox.note("mime_type", media.mime_type);
        caller.sandbox.note("base64_data", media.base64());
        caller.sandbox.note("media_path", media.path.absolute.clone());
        Ok(media.into())
    }

    fn facts() -> Facts<Media> {
        facts! { Media, |it, words|
            "file_path": "The file that was read" => words.path(&it.path);
            "size": "The size of the file in bytes" => it.bytes.len();
        }
    }
}
