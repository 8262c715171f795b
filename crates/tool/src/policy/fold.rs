//! Names that only look different: the form under which a refusing rule compares them.
//!
//! What one file system keeps apart another one takes for the same: case (macOS, Windows), composed and decomposed
//! letters, compatibility forms such as full-width ones, characters that are ignored, dots and spaces at the end, streams
//! (`::$DATA`). A protected name is protected in every one of these spellings.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// A name.
pub(super) fn name(name: &str) -> String {
    let name = &name[..name.find("::$").unwrap_or(name.len())];
    let folded = text(name);
    let trimmed = folded.trim_end_matches(['.', ' ']);
    // `.` and `..` are not names, and nothing but dots is left as it is.
    if trimmed.is_empty() || trimmed.len() == folded.len() { folded.into_owned() } else { trimmed.to_owned() }
}

/// A part of a name, whose end need not be the name's.
pub(super) fn text(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        // Lower case can bring back a form that is not composed (`İ`), so it is done twice.
        return Cow::Owned(once(&once(text)));
    }
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    Cow::Borrowed(text)
}

fn once(text: &str) -> String {
    text.nfkc().filter(|c| !is_ignored(*c)).flat_map(char::to_lowercase).nfkc().collect()
}

/// Characters that are not seen and that some file systems leave out when they compare names.
fn is_ignored(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn spellings_of_one_name_fold_alike() {
        for spelling in [
            ".git",
            ".GIT",
            ".Git",
            ".g\u{200C}it",
            ".\u{FEFF}git",
            "\u{FF0E}git",
            ".ｇｉｔ",
            ".git.",
            ".git ",
            ".git . .",
            ".git::$INDEX_ALLOCATION",
            ".g\u{AD}it",
            ".gi\u{FE0F}t",
            ".g\u{2060}İt",
        ] {
            assert_eq!(name(spelling).replace('\u{307}', ""), ".git", "{spelling:?}");
        }
    }

    #[test]
    fn other_names_stay_other_names() {
        for (one, other) in [
            (".git", "git"),
            ("a.b", "ab"),
            ("..", "."),
            ("résumé", "resume"),
            ("a b", "ab"),
            (".gıt", ".git"),
            ("ß", "s"),
            ("β", "ß"),
            ("ø", "o"),
            ("þ", "p"),
            ("σ", "o"),
        ] {
            assert_ne!(name(one), name(other), "{one} {other}");
        }
    }
}
