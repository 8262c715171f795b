//! Some hunks of a change are kept, and the rest of the file stays as it is to the byte.

use proptest::prelude::*;
use toolcrib_edit::{ByteHunk, HunkRow, Hunks};

use crate::cases;

/// Lines of all kinds: equal ones, bytes that are no UTF-8 (and no mark of UTF-16), a CR alone, CRLF; and a last one that may have no
/// ending.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        4 => Just(b"same\n".to_vec()),
        2 => "[ab]\n".prop_map(String::into_bytes),
        1 => "[ab]\r\n".prop_map(String::into_bytes),
        1 => "[ab]\r[ab]\n".prop_map(String::into_bytes),
        1 => proptest::collection::vec(128..=253_u8, 1..4).prop_map(|bytes| [&bytes[..], b"\n"].concat()),
        1 => Just(b"\n".to_vec()),
    ];
    (proptest::collection::vec(line, 0..40), "[ab\r]{0,2}")
        .prop_map(|(lines, last)| [lines.concat(), last.into_bytes()].concat())
}

/// A content, and the same with some lines replaced, removed and added.
fn pair() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let edited = (content(), proptest::collection::vec((0..64_usize, 0..3_usize, content()), 0..5)).prop_map(
        |(before, edits)| {
            let mut lines: Vec<Vec<u8>> =
                before.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
            for (at, removed, added) in edits {
                let at = at.min(lines.len());
                let end = (at + removed).min(lines.len());
                let added = added.split_inclusive(|b| *b == b'\n').take(3).map(<[u8]>::to_vec);
                lines.splice(at..end, added.collect::<Vec<_>>());
            }
            (before, lines.concat())
        },
    );
    prop_oneof![1 => (content(), content()), 3 => edited]
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

/// What is expected, made from the two contents alone: everything between hunks is from the old one.
fn chosen(before: &[u8], after: &[u8], hunks: &[ByteHunk], is_kept: impl Fn(usize) -> bool) -> Vec<u8> {
    let (old, new) = (lines(before), lines(after));
    let (mut made, mut at): (Vec<&[u8]>, usize) = (Vec::new(), 0);
    for (number, hunk) in hunks.iter().enumerate() {
        made.extend(&old[at..hunk.old.start]);
        made.extend(if is_kept(number) { &new[hunk.new.clone()] } else { &old[hunk.old.clone()] });
        at = hunk.old.end;
    }
    made.extend(&old[at..]);
    made.concat()
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn every_choice_of_hunks_is_exact((before, after) in pair(), choices in proptest::collection::vec(any::<u32>(), 8)) {
        let hunks = Hunks::between(&before, &after);
        let all = hunks.as_slice();
        let ids: Vec<&str> = all.iter().map(|hunk| hunk.id.as_str()).collect();
        prop_assert_eq!(&hunks.keep(&ids).unwrap(), &after);
        prop_assert_eq!(&hunks.keep::<&str>(&[]).unwrap(), &before);
        prop_assert_eq!(all.is_empty(), before == after);
        let mut distinct = ids.clone();
        distinct.sort_unstable();
        distinct.dedup();
        prop_assert_eq!(distinct.len(), ids.len(), "each has a name of its own");

        let every = all.len() <= 5;
        let subsets = if every { (0..1 << all.len()).collect() } else { choices };
        for subset in subsets {
            let is_kept = |number: usize| subset >> (number % 32) & 1 == 1;
            let kept: Vec<&str> = ids.iter().enumerate().filter(|(at, _)| is_kept(*at)).map(|(_, id)| *id).collect();
            let made = hunks.keep(&kept).unwrap();
            prop_assert_eq!(&made, &chosen(&before, &after, all, is_kept));
            // What is left to do from there are the others, and they lead to the same end.
            let rest = Hunks::between(&made, &after);
            let rest_ids: Vec<&str> = rest.as_slice().iter().map(|hunk| hunk.id.as_str()).collect();
            prop_assert_eq!(&rest.keep(&rest_ids).unwrap(), &after);
        }
    }

    #[test]
    fn rows_are_the_lines_of_both((before, after) in pair(), context in 0..5_usize) {
        let hunks = Hunks::between(&before, &after);
        let (old, new) = (lines(&before), lines(&after));
        let mut shown = 0;
        for hunk in hunks.as_slice() {
            let (mut removed, mut added) = (hunk.old.clone(), hunk.new.clone());
            for row in hunks.rows(hunk, context) {
                match row {
                    HunkRow::Context(o, n, line) => {
                        prop_assert_eq!((old[o], new[n]), (line, line));
                        prop_assert!(o >= shown, "no line is shown in two hunks");
                        shown = o + 1;
                        removed.next_if_is(o);
                        added.next_if_is(n);
                    }
                    HunkRow::Removed(o, line) => prop_assert_eq!((removed.next(), old[o]), (Some(o), line)),
                    HunkRow::Added(n, line) => prop_assert_eq!((added.next(), new[n]), (Some(n), line)),
                }
            }
            prop_assert!(removed.is_empty() && added.is_empty(), "the whole hunk is shown");
        }
    }
}

trait NextIf {
    fn next_if_is(&mut self, value: usize);
}

impl NextIf for std::ops::Range<usize> {
    fn next_if_is(&mut self, value: usize) {
        if self.contains(&value) {
            self.next();
        }
    }
}

#[test]
fn a_name_is_for_one_hunk_of_one_change() {
    let (before, after) = (b"a\n1\n2\n3\n4\n5\n6\n7\na\n", b"b\n1\n2\n3\n4\n5\n6\n7\nb\n");
    let hunks = Hunks::between(before, after);
    let [one, two] = hunks.as_slice() else { panic!("{hunks:?}") };
    assert_ne!(one.id, two.id, "the same lines at another place");
    assert_eq!(Hunks::between(before, after).as_slice(), hunks.as_slice());
    let other = Hunks::between(before, b"c\n1\n2\n3\n4\n5\n6\n7\nb\n");
    assert_ne!(other.as_slice()[0].id, one.id);
    assert_eq!(other.as_slice()[1].id, two.id);
    assert!(hunks.keep(&[&other.as_slice()[0].id]).is_err(), "a hunk of another change");
}

#[test]
fn what_is_no_text_is_one_hunk() {
    let (before, after) = (b"a\n\0\n1\n2\n3\n4\n5\n6\n7\nb\n", b"A\n\0\n1\n2\n3\n4\n5\n6\n7\nB\n");
    assert_eq!(Hunks::between(before, after).as_slice().len(), 1);
}

#[test]
fn wide_characters_are_never_cut() {
    // U+0A0A has the byte of LF twice; U+010A has it once.
    let text =
        |first: &str, last: &str| format!("\u{FEFF}{first}\n\u{0A0A}\u{010A}\n2\n3\n4\n5\n6\n7\n8\n{last}\n");
    for encode in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
        let wide = |text: &str| text.encode_utf16().flat_map(encode).collect::<Vec<u8>>();
        let (before, after) = (wide(&text("a", "b")), wide(&text("\u{0A0A}", "B")));
        let hunks = Hunks::between(&before, &after);
        let [first, last] = hunks.as_slice() else { panic!("{hunks:?}") };
        assert_eq!(hunks.keep(&[&first.id]).unwrap(), wide(&text("\u{0A0A}", "b")));
        assert_eq!(hunks.keep(&[&last.id]).unwrap(), wide(&text("a", "B")));
    }
}

#[test]
fn a_hundred_thousand_lines_are_exact_too() {
    let old: String = (0..100_000).map(|line| format!("line {line}\n")).collect();
    let new: String = (0..100_000)
        .map(|line| if line % 1000 == 7 { format!("new {line}\n") } else { format!("line {line}\n") })
        .collect();
    let hunks = Hunks::between(old.as_bytes(), new.as_bytes());
    assert_eq!(hunks.as_slice().len(), 100);
    let kept: Vec<&str> = hunks.as_slice().iter().step_by(2).map(|hunk| hunk.id.as_str()).collect();
    let made = hunks.keep(&kept).unwrap();
    assert_eq!(made, chosen(old.as_bytes(), new.as_bytes(), hunks.as_slice(), |at| at % 2 == 0));
    assert_eq!(made.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"new")).count(), 50);
}
