//! From the order in which letters are seen to the order in which they are read.
//!
//! On a page, Hebrew and Arabic stand as they are seen: the first letter is the rightmost. A line is turned around so
//! that its letters are in the order of speech again; numbers and words in Latin letters within it keep theirs.

/// One or more characters that stay together.
pub(super) trait Unit {
    fn text(&self) -> &str;
}

/// Turns what is to be turned.
pub(super) fn to_logical<U: Unit>(units: &mut [U]) {
    let classes: Vec<Class> = units.iter().map(|unit| Class::of(unit.text())).collect();
    if !classes.contains(&Class::Left) {
        return;
    }
    if is_leftward(&classes) {
        units.reverse();
        let classes: Vec<Class> = classes.into_iter().rev().collect();
        turn(units, &classes, |class| matches!(class, Class::Right | Class::Number), Class::Left);
    } else {
        turn(units, &classes, |class| class == Class::Left, Class::Right);
    }
}

/// Whether the line as a whole is read to the left: it is if both its ends are. If they differ, most letters decide.
fn is_leftward(classes: &[Class]) -> bool {
    let mut letters = classes.iter().filter(|class| matches!(class, Class::Left | Class::Right));
    let first = letters.next();
    let last = letters.next_back().or(first);
    if first == last {
        return first == Some(&Class::Left);
    }
    let count = |class: Class| classes.iter().filter(|found| **found == class).count();
    count(Class::Left) >= count(Class::Right)
}

/// Turns around each stretch that starts and ends with what `is_inner` names and holds nothing of the `outer` direction.
fn turn<U: Unit>(units: &mut [U], classes: &[Class], is_inner: fn(Class) -> bool, outer: Class) {
    let mut at = 0;
    while at < units.len() {
        if !is_inner(classes[at]) {
            at += 1;
            continue;
        }
        let rest = &classes[at..];
        let limit = rest.iter().position(|class| *class == outer).unwrap_or(rest.len());
        let end = at + rest[..limit].iter().rposition(|class| is_inner(*class)).map_or(1, |last| last + 1);
        units[at..end].reverse();
        // Numbers are written the same way everywhere.
        if outer == Class::Right {
            let turned: Vec<Class> = classes[at..end].iter().rev().copied().collect();
            turn(&mut units[at..end], &turned, |class| class == Class::Number, Class::Left);
        }
        at = end;
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Class {
    /// Letters that are read to the left.
    Left,
    /// Letters that are read to the right.
    Right,
    Number,
    Neutral,
}

impl Class {
    fn of(text: &str) -> Self {
        let class = |c: char| match c {
            '0'..='9' | '\u{660}'..='\u{669}' | '\u{6F0}'..='\u{6F9}' => Self::Number,
            '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' => Self::Left,
            '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}' => Self::Left,
            c if c.is_alphabetic() => Self::Right,
            _ => Self::Neutral,
        };
        text.chars().map(class).find(|class| *class != Self::Neutral).unwrap_or(Self::Neutral)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Unit for String {
        fn text(&self) -> &str {
            self
        }
    }

    /// The line as it is read, if it is seen so from left to right.
    #[track_caller]
    fn check(seen: &str, read: &str) {
        let mut units: Vec<String> = seen.chars().map(String::from).collect();
        to_logical(&mut units);
        assert_eq!(units.concat(), read);
    }

    #[test]
    fn a_line_in_hebrew_is_turned_and_what_is_latin_in_it_is_not() {
        check("םולש", "שלום");
        check("ב Rust 2024 -ש", "ש- Rust 2024 ב");
        check("42 אוה רפסמה", "המספר הוא 42");
        check("3.14 הנה", "הנה 3.14");
    }

    #[test]
    fn hebrew_in_a_latin_line_is_turned_where_it_stands() {
        check("He said םולש and left", "He said שלום and left");
        check("the words םלוע םולש 12 here", "the words שלום עולם 12 here");
        check("plain text 12", "plain text 12");
    }
}
