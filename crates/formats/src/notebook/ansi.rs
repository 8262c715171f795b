//! Takes out of a text what only a terminal understands.

/// The text without escape sequences, and of a line that was overwritten (a progress bar) the last state.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut line_start = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\x1B' => skip_sequence(&mut chars),
            // The same introducer as one character.
            '\u{9B}' => skip_control_sequence(&mut chars),
            '\n' => {
                plain.push(c);
                line_start = plain.len();
            }
            '\r' => match chars.peek() {
                // An ending of two characters, and a return at the very end, overwrite nothing.
                Some('\n') | None => {}
                Some(_) => plain.truncate(line_start),
            },
            '\x08' => {
                if plain.len() > line_start {
                    plain.pop();
                }
            }
            '\t' => plain.push(c),
            c if c.is_control() => {}
            c => plain.push(c),
        }
    }
    plain
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_sequence(chars: &mut Chars<'_>) {
    match chars.next() {
        Some('[') => skip_control_sequence(chars),
        // A command to the system ends with a bell or with ESC \; it does not go over the end of a line.
        Some(']' | 'P' | '^' | '_' | 'X') => {
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if c == '\x07' || c == '\x1B' && chars.next_if_eq(&'\\').is_some() {
                    break;
                }
            }
        }
        // Choices of character sets have one more character.
        Some('(' | ')' | '*' | '+' | '#' | '%') => {
            chars.next();
        }
        _ => {}
    }
}

fn skip_control_sequence(chars: &mut Chars<'_>) {
    while chars.next_if(|c| ('\x20'..='\x3F').contains(c)).is_some() {}
    chars.next_if(|c| ('\x40'..='\x7E').contains(c));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn colours_and_commands_go_and_text_stays() {
        assert_eq!(plain("\x1B[0;31mName\x1B[0mError\x1B[K: ü"), "NameError: ü");
        assert_eq!(plain("\x1B]8;;https://a.b\x1B\\link\x1B]8;;\x07!"), "link!");
        assert_eq!(plain("a\x1B(Bb\u{9B}1mc\x1B"), "abc");
        assert_eq!(plain("\x1B]0;no end\nnext"), "\nnext");
        assert_eq!(plain("tab\there\0\x07"), "tab\there");
    }

    #[test]
    fn a_progress_bar_is_its_last_state() {
        assert_eq!(plain("start\n 10%\r 50%\r100%\nend\r\n"), "start\n100%\nend\n");
        assert_eq!(plain("abc\r"), "abc");
        assert_eq!(plain("ab\x08\x08\x08c\n\x08d"), "c\nd");
    }

    proptest! {
        #[test]
        fn no_text_panics_and_no_escape_is_left(text in "[a-b\x1B\\[\\]0-9;m\r\n\x08\u{9B}ü\\\\]{0,30}") {
            let escapes = plain(&text).matches(['\x1B', '\r', '\u{9B}']).count();
            prop_assert_eq!(escapes, 0);
        }
    }
}
