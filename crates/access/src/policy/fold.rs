//! Names that only look different: the form under which a refusing rule compares them.
//!
//! What one file system keeps apart another one takes for the same: case (macOS, Windows), composed and decomposed
//! letters, compatibility forms such as full-width ones, characters that are ignored, dots and spaces at the end, streams
//! (`::$DATA`). A protected name is protected in every one of these spellings.
//!
//! Case is folded in full, as Unicode's `CaseFolding.txt` says: `ß` is `ss`, `ſ` is `s`, both small sigmas are one.

use std::borrow::Cow;

use toolcrib_text::is_ignorable;
use unicode_normalization::UnicodeNormalization;

/// A name.
pub(super) fn name(name: &str) -> String {
    let stream = if name.as_bytes().contains(&b':') { name.find("::$") } else { None };
    let name = &name[..stream.unwrap_or(name.len())];
    let folded = text(name);
    let trimmed = folded.trim_end_matches(['.', ' ']);
    // `.` and `..` are not names, and nothing but dots is left as it is.
    if trimmed.is_empty() || trimmed.len() == folded.len() { folded.into_owned() } else { trimmed.to_owned() }
}

/// A part of a name, whose end need not be the name's.
pub(super) fn text(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        // Folding can bring back a form that is not composed (`İ`), so it is done twice.
        return Cow::Owned(once(&once(text)));
    }
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    Cow::Borrowed(text)
}

fn once(text: &str) -> String {
    // Some file systems leave out what is not seen when they compare names.
    text.nfkc().filter(|c| !is_ignorable(*c)).flat_map(folded).nfkc().collect()
}

/// The full case folding of a character. The standard library has no table of it, but its upper case maps expand what
/// folding expands (`ß` to `SS`), so that a detour over upper case ends where folding does. A test compares all
/// characters.
fn folded(c: char) -> impl Iterator<Item = char> {
    // Only Turkish takes the dotless i for a small I.
    let detour = c != 'ı';
    let lower = c.to_lowercase();
    let upper =
        lower.flat_map(move |c| if detour { Some(c.to_uppercase()) } else { None }.into_iter().flatten());
    let folded = upper.flat_map(char::to_lowercase);
    folded.chain((!detour).then_some(c))
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
        for (spelling, other) in [
            ("Straße", "STRASSE"),
            ("Straẞe", "strasse"),
            (".\u{17F}\u{17F}h", ".ssh"),
            (".\u{DF}h", ".ssh"),
            ("ΟΔΟΣ", "οδος"),
            ("οδοσ", "οδος"),
            ("ŉame", "ʼname"),
            (".\u{212A}ube", ".kube"),
            ("ﬁle", "FILE"),
            ("ᾳ", "ΑΙ"),
            ("ǰ", "J\u{30C}"),
        ] {
            assert_eq!(name(spelling), name(other), "{spelling:?}");
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

    /// All characters but the ideographs, which have no case: two that fold alike in Unicode's own table do so here, and
    /// no others.
    #[test]
    fn case_is_folded_in_full_and_no_further() {
        use unicode_normalization::UnicodeNormalization;
        let table = |text: &str| -> String {
            let fold = |text: &str| caseless::default_case_fold_str(&text.nfkc().collect::<String>());
            fold(&fold(text)).nfkc().filter(|c| !super::is_ignorable(*c)).collect()
        };
        let mut by_table = std::collections::HashMap::<String, String>::new();
        let mut by_us = std::collections::HashMap::<String, String>::new();
        let (mut alike, mut checked) = (0, 0);
        let all = ('\u{21}'..'\u{3400}').chain('\u{A000}'..'\u{AC00}').chain('\u{F900}'..'\u{20000}');
        for c in all.filter(|c| !super::is_ignorable(*c)) {
            let (wanted, folded) = (table(&c.to_string()), super::text(&c.to_string()).into_owned());
            // A letter that is newer than the table does not fold in it.
            let newer =
                caseless::default_case_fold_str(&c.to_string()) == c.to_string() && folded != c.to_string();
            if newer && wanted == c.to_string() && c != 'ı' {
                continue;
            }
            checked += 1;
            if let Some(before) = by_table.insert(wanted.clone(), folded.clone()) {
                alike += 1;
                assert_eq!(before, folded, "{c:?} ({:x}) folds to {wanted:?}", u32::from(c));
            }
            if let Some(before) = by_us.insert(folded.clone(), wanted.clone()) {
                assert_eq!(before, wanted, "{c:?} ({:x}) is {folded:?} here", u32::from(c));
            }
        }
        assert!(alike > 4_000 && checked > 80_000, "{alike} of {checked}");
    }
}
