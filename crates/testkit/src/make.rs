//! What a scenario's workspace holds beside `input/`: what git would not keep (`.git`, empty directories), and what is
//! shorter to describe than to write down.
//!
//! ```json
//! [
//!   {"path": ".git/HEAD", "text": "ref: refs/heads/main\n"},
//!   {"path": "empty/"},
//!   {"path": "src/part{n}.py", "text": "# TODO: {n}\n", "lines": 5, "files": 100}
//! ]
//! ```
//!
//! A path with a slash at the end is a directory. `files` makes so many of a kind, `lines` repeats the text; `{n}` is the
//! number of the file, from 1.

use std::fs;
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Made {
    path: String,
    #[serde(default)]
    text: String,
    #[serde(default = "one")]
    lines: usize,
    #[serde(default = "one")]
    files: usize,
}

fn one() -> usize {
    1
}

/// Makes what the file describes, if there is one.
pub(crate) fn make(description: &Path, root: &Path) -> Result<(), String> {
    let Ok(text) = fs::read_to_string(description) else { return Ok(()) };
    let all: Vec<Made> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    for made in all {
        for n in 1..=made.files {
            let number = |text: &str| text.replace("{n}", &n.to_string());
            let path = root.join(number(&made.path));
            if made.path.ends_with('/') {
                fs::create_dir_all(path).unwrap();
                continue;
            }
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, number(&made.text).repeat(made.lines)).unwrap();
        }
    }
    Ok(())
}
