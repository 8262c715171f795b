//! Reads licence expressions (SPDX) and decides whether the allowed licences satisfy them.
//!
//! ```text
//! any     = all *( ("OR" | "/") all )          "/" is how crates wrote OR before SPDX
//! all     = licence *( "AND" licence )
//! licence = "(" any ")" | name [ "WITH" name ]
//! ```
//! A `+` after a name means "or any later version", which the named version satisfies.

/// Whether someone who accepts only `allowed` may use the work. The error says what could not be read.
pub(crate) fn satisfied(expression: &str, allowed: &[&str]) -> Result<bool, String> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " / ");
    let mut reader = Reader { words: spaced.split_whitespace().collect(), at: 0, allowed };
    let result = reader.any()?;
    match reader.peek() {
        None => Ok(result),
        Some(word) => Err(format!("`{word}` is not expected there")),
    }
}

struct Reader<'a> {
    words: Vec<&'a str>,
    at: usize,
    allowed: &'a [&'a str],
}

impl<'a> Reader<'a> {
    fn any(&mut self) -> Result<bool, String> {
        let mut result = self.all()?;
        while self.take("OR") || self.take("/") {
            result |= self.all()?;
        }
        Ok(result)
    }

    fn all(&mut self) -> Result<bool, String> {
        let mut result = self.licence()?;
        while self.take("AND") {
            result &= self.licence()?;
        }
        Ok(result)
    }

    fn licence(&mut self) -> Result<bool, String> {
        if self.take("(") {
            let result = self.any()?;
            return if self.take(")") { Ok(result) } else { Err("a parenthesis is not closed".to_owned()) };
        }
        let name = self.name()?;
        let name = name.strip_suffix('+').unwrap_or(name);
        if self.take("WITH") {
            let exception = self.name()?;
            return Ok(self.allows(&format!("{name} WITH {exception}")));
        }
        Ok(self.allows(name))
    }

    fn name(&mut self) -> Result<&'a str, String> {
        match self.peek() {
            Some(word) if !["OR", "AND", "WITH", "/", "(", ")"].contains(&word) => {
                self.at += 1;
                Ok(word)
            }
            Some(word) => Err(format!("`{word}` stands where a licence is expected")),
            None => Err("a licence is missing at the end".to_owned()),
        }
    }

    fn allows(&self, licence: &str) -> bool {
        self.allowed.iter().any(|allowed| allowed.eq_ignore_ascii_case(licence))
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        self.at += usize::from(found);
        found
    }

    fn peek(&self) -> Option<&'a str> {
        self.words.get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALLOWED: &[&str] = &["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"];

    #[track_caller]
    fn check(expression: &str, expected: bool) {
        assert_eq!(satisfied(expression, ALLOWED), Ok(expected), "{expression}");
    }

    #[test]
    fn one_allowed_choice_is_enough_and_every_duty_counts() {
        check("MIT", true);
        check("GPL-3.0-only", false);
        check("GPL-3.0-only OR MIT", true);
        check("MIT AND GPL-3.0-only", false);
        check("(MIT OR Apache-2.0) AND Unicode-3.0", true);
        check("(MIT OR Apache-2.0) AND NCSA", false);
        check("((MIT))", true);
    }

    #[test]
    fn and_binds_more_tightly_than_or() {
        check("MIT OR GPL-3.0-only AND GPL-2.0-only", true);
        check("GPL-3.0-only AND GPL-2.0-only OR MIT", true);
        check("(MIT OR GPL-3.0-only) AND GPL-2.0-only", false);
    }

    #[test]
    fn an_exception_makes_another_licence() {
        check("Apache-2.0 WITH LLVM-exception", true);
        check("MIT WITH LLVM-exception", false);
        check("GPL-2.0-only WITH Classpath-exception-2.0", false);
        check("GPL-2.0-only WITH Classpath-exception-2.0 OR MIT", true);
    }

    #[test]
    fn the_old_slash_and_the_plus_are_read() {
        check("MIT/Apache-2.0", true);
        check("GPL-3.0 / LGPL-3.0", false);
        check("Apache-2.0+", true);
        check("GPL-2.0+", false);
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        for expression in
            ["", "MIT OR", "AND MIT", "(MIT", "MIT)", "MIT Apache-2.0", "MIT WITH", "()", "MIT WITH OR"]
        {
            assert!(satisfied(expression, ALLOWED).is_err(), "{expression:?} was read");
        }
    }
}
