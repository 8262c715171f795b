//! Names of any bytes, shown as text and understood again; and a second look for those that were not found.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use toolcrib_workspace::names::{escape, unescape};
use toolcrib_workspace::{ErrorKind, names};

use crate::support::{both, bytes, got};

#[test]
fn every_name_survives_being_shown_and_understood() {
    // Everything an escape is made of, and everything that could be mistaken for one.
    let pieces: [&[u8]; 12] = [
        b"\\",
        b"x",
        b"F",
        b"5C",
        b"\xFF",
        b"\xC3",
        "é".as_bytes(),
        b"\n",
        b"a",
        b"\\xE9",
        b"\x7F",
        b"\\x41",
    ];
    let mut shown = HashSet::new();
    let mut count = 0;
    for code in 0..pieces.len().pow(4) {
        let indexes = [code % 12, code / 12 % 12, code / 144 % 12, code / 1728];
        let name = OsString::from_vec(indexes.iter().flat_map(|i| pieces[*i].to_vec()).collect());
        let text = escape(&name).into_owned();
        assert_eq!(unescape(&text).as_bytes(), name.as_bytes(), "{text}");
        assert!(!text.chars().any(char::is_control), "{text:?}");
        // Of a path, each name for itself.
        let pair = OsString::from_vec([name.as_bytes(), b"/", name.as_bytes()].concat());
        assert_eq!(escape(&pair), format!("{text}/{text}"));
        count += usize::from(shown.insert((text, name)));
    }
    let texts: HashSet<_> = shown.iter().map(|(text, _)| text).collect();
    let names: HashSet<_> = shown.iter().map(|(_, name)| name).collect();
    assert_eq!(texts.len(), names.len(), "two names are never shown alike");
    eprintln!("names: {count} shown and understood again");
}

#[test]
fn a_name_that_is_not_text_is_listed_escaped_and_readable_by_that() {
    both(|world| {
        world.file(bytes(b"caf\xE9.txt"), "latin");
        world.file(bytes(b"two\nlines"), "newline");
        world.file(r"plain\xE9", "backslash");
        let directory = world.workspace.open_dir(&world.path(".")).unwrap();
        let mut listed: Vec<_> = directory
            .entries()
            .unwrap()
            .map(|entry| names::escape(&entry.unwrap().name).into_owned())
            .collect();
        listed.sort();
        assert_eq!(listed, [r"caf\xE9.txt", r"plain\x5CxE9", r"two\x0Alines"]);
        for (name, content) in listed.iter().zip(["latin", "backslash", "newline"]) {
            assert_eq!(world.read(name).unwrap(), got(content, name));
        }
        assert_eq!(world.read(bytes(b"caf\xE9.txt")).unwrap(), got("latin", r"caf\xE9.txt"));
        let error = world.refusal(r"missing\xFF");
        assert!(error.to_string().ends_with(r"/missing\xFF"), "{error}");
    });
}

#[test]
fn an_escape_cannot_spell_a_slash_a_dot_or_a_nul() {
    for text in [r"a\x2Fb", r"\x2E\x2E", r"\x00", r"\x41", r"\xe9", r"\xF", r"\x"] {
        assert_eq!(&*unescape(text), text);
        assert_eq!(escape(text), text);
    }
}

#[test]
fn odd_names_are_names() {
    both(|world| {
        for name in ["-rf", "--", " ", "a b", "*", "?", "'\"", "日本語", "🦀", "...", "~", "$HOME", "con"]
        {
            world.file(name, name);
            assert_eq!(world.read(name).unwrap(), got(name, name));
        }
    });
}

/// The kernel ends the name of a removed file like this.
#[test]
fn a_name_that_looks_removed_is_a_name() {
    both(|world| {
        world.file("file (deleted)", "here");
        assert_eq!(world.read("file (deleted)").unwrap(), got("here", "file (deleted)"));
    });
}

#[test]
fn a_name_is_found_again_in_another_spelling() {
    both(|world| {
        world.file("Cafe\u{301}/u\u{a0}v.txt", "decomposed, no-break space");
        world.file("\u{fc}.txt", "composed");
        let again = |given: &str| world.workspace.find_again(&world.path(given)).map(|path| path.show());
        assert_eq!(again("Caf\u{e9}/u v.txt").as_deref(), Some("Cafe\u{301}/u\u{a0}v.txt"));
        assert_eq!(again("Caf\u{e9}/u\u{202f}v.txt").as_deref(), Some("Cafe\u{301}/u\u{a0}v.txt"));
        assert_eq!(again("u\u{308}.txt").as_deref(), Some("\u{fc}.txt"));
        assert_eq!(again("\u{fc}.txt"), None, "it is there under this very name");
        assert_eq!(again("other.txt"), None);
        assert_eq!(again("../outside/secret"), None);
    });
}

#[test]
fn a_name_with_two_other_spellings_is_not_guessed() {
    both(|world| {
        world.file("a\u{a0}b", "");
        world.file("a\u{3000}b", "");
        assert_eq!(world.workspace.find_again(&world.path("a b")), None);
    });
}

#[test]
fn near_names_are_suggested_three_at_most() {
    both(|world| {
        for name in ["main.rs", "mein.rs", "main.ts", "mann.rs", "Main.rs", "lib.rs", "unrelated"] {
            world.file(name, "");
        }
        let near = |given: &str| world.workspace.near_names(&world.path(given));
        assert_eq!(near("mian.rs"), ["Main.rs", "main.rs", "main.ts"]);
        assert_eq!(near("libs.rs"), ["lib.rs"]);
        assert!(near("zzzzzzzz").is_empty());
        assert!(near("missing/main.rs").is_empty());
        assert!(near("../outside/secre").is_empty());
        assert_eq!(world.kind("mian.rs"), ErrorKind::NotFound, "what is similar is never opened");
    });
}
