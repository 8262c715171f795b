//! Decides whether the allowed licences satisfy a licence expression (SPDX).

use spdx::{Expression, ParseMode};

/// Whether someone who accepts only `allowed` may use the work. The error says what could not be read.
pub(crate) fn satisfied(expression: &str, allowed: &[&str]) -> Result<bool, String> {
    // Crates wrote `/` for OR before SPDX, and some still do.
    let parsed = Expression::parse_mode(expression, ParseMode::LAX).map_err(|error| error.to_string())?;
    Ok(parsed.evaluate(|requirement| {
        // "Or any later version" is satisfied by the named one.
        let licence = requirement.to_string().replace('+', "");
        allowed.iter().any(|allowed| allowed.eq_ignore_ascii_case(&licence))
    }))
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
        for expression in [
            "",
            "MIT OR",
            "AND MIT",
            "(MIT",
            "MIT)",
            "MIT Apache-2.0",
            "MIT WITH",
            "()",
            "MIT WITH OR",
            "Own-Licence",
        ] {
            assert!(satisfied(expression, ALLOWED).is_err(), "{expression:?} was read");
        }
    }
}
