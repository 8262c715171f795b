//! Lines that fit a terminal of 80 columns. What goes into a pipe is laid out alike, so that it does not depend on a window.

/// How many columns there are.
pub(crate) const WIDTH: usize = 80;

/// Words in lines that are indented this far. A word that is wider than a line has one for itself.
pub(crate) fn wrapped<'w>(words: impl IntoIterator<Item = &'w str>, between: &str, indent: usize) -> String {
    let mut text = String::new();
    let mut used = 0;
    for word in words {
        let width = word.chars().count();
        if used > 0 && used + between.len() + width + indent > WIDTH {
            text.push('\n');
            used = 0;
        }
        if used == 0 {
            text.push_str(&" ".repeat(indent));
        } else {
            text.push_str(between);
            used += between.len();
        }
        text.push_str(word);
        used += width;
    }
    text
}

/// A sentence behind a label on the first line; the others are indented as far as the sentence.
pub(crate) fn labelled(label: &str, sentence: &str, indent: usize) -> String {
    let text = wrapped(sentence.split(' '), " ", indent);
    let rest = text.get(indent..).unwrap_or_default();
    format!("{label}{}{rest}", " ".repeat(indent.saturating_sub(label.chars().count())))
}

/// A number of bytes as people say it.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let (mut value, mut unit) = (bytes, "");
    let mut rest = 0;
    for next in UNITS {
        if value < 1024 {
            break;
        }
        (rest, value, unit) = (value % 1024, value / 1024, next);
    }
    if value < 10 { format!("{value}.{} {unit}", rest * 10 / 1024) } else { format!("{value} {unit}") }
}

/// A count and what is counted, which has an s where there is not one of it.
pub(crate) fn counted(count: u64, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_no_word_is_lost() {
        let words = ["a".repeat(30), "b".repeat(44), "c".repeat(90), "d".to_owned()];
        let text = wrapped(words.iter().map(String::as_str), "  ", 4);
        let widths: Vec<usize> = text.lines().map(str::len).collect();
        assert_eq!(widths, [4 + 30 + 2 + 44, 4 + 90, 4 + 1]);
        assert_eq!(labelled("x:", "one two", 4), "x:  one two");
    }

    #[test]
    fn sizes_have_units() {
        for (bytes, shown) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1536, "1.5 KiB"),
            (10 * 1024, "10 KiB"),
            (u64::MAX, "16383 PiB"),
        ] {
            assert_eq!(size(bytes), shown);
        }
        assert_eq!((counted(1, "file"), counted(0, "file")), ("1 file".to_owned(), "0 files".to_owned()));
    }
}
