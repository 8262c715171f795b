//! What a pattern is made of, before it is compiled: whether it is too large, what case means, and what it costs.

use regex_syntax::ast::{self, Ast, ClassSetItem, Literal};
use regex_syntax::hir::translate::TranslatorBuilder;
use regex_syntax::hir::{
    Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look,
};

use super::query::{Case, QueryOptions};

/// How many bytes a pattern may have. Each becomes some hundred bytes on the way to being compiled.
pub(crate) const MAX_PATTERN: usize = 32 * 1024;

/// How many classes such as `\w` a pattern may have. Each has hundreds of ranges, whose number no size limit of the library
/// counts before they are there.
pub(crate) const MAX_CLASSES: usize = 500;

/// A range of more characters than this is a class like `\w`.
const MANY: u32 = 256;

/// So many characters of ranges are worth a class, where each is looked up.
const EACH: usize = 10_000;

/// How deep groups may be nested.
pub(crate) const NEST_LIMIT: u32 = 200;

/// A pattern that was parsed.
pub(crate) struct Syntax<'p> {
    pattern: &'p str,
    ast: Ast,
    seen: Seen,
}

/// What occurs in a pattern.
#[derive(Default)]
struct Seen {
    /// Classes with very many characters.
    classes: usize,
    /// How many characters the ranges have that are written out.
    wide: usize,
    literal: bool,
    uppercase: bool,
}

impl<'p> Syntax<'p> {
    pub(crate) fn parse(pattern: &'p str) -> Result<Self, Box<ast::Error>> {
        let parser = ast::parse::ParserBuilder::new().nest_limit(NEST_LIMIT).build().parse(pattern);
        let ast = parser.map_err(Box::new)?;
        let seen = match ast::visit(&ast, Seen::default()) {
            Ok(seen) => seen,
            Err(never) => match never {},
        };
        Ok(Self { pattern, ast, seen })
    }

    /// How many classes there are. Where capitals and small letters are the same, each character of a range is looked up, so
    /// that a wide range is worth many.
    pub(crate) fn classes(&self, case: Case) -> usize {
        let looked_up = if self.any_case(case) { self.seen.wide / EACH } else { 0 };
        self.seen.classes.saturating_add(looked_up)
    }

    /// Whether capitals and small letters are the same.
    pub(crate) fn any_case(&self, case: Case) -> bool {
        match case {
            Case::Sensitive => false,
            Case::Insensitive => true,
            Case::Smart => self.seen.literal && !self.seen.uppercase,
        }
    }

    /// What the pattern means under these options, as the engine understands it.
    pub(crate) fn translate(&self, options: &QueryOptions) -> Result<Hir, Box<regex_syntax::hir::Error>> {
        TranslatorBuilder::new()
            .utf8(false)
            .multi_line(true)
            .crlf(true)
            .case_insensitive(self.any_case(options.case))
            .dot_matches_new_line(options.multiline)
            .build()
            .translate(self.pattern, &self.ast)
            .map_err(Box::new)
    }
}

impl ast::Visitor for Seen {
    type Output = Self;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<Self, Self::Err> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        match ast {
            Ast::Literal(literal) => self.saw(literal),
            Ast::ClassUnicode(_) | Ast::ClassPerl(_) | Ast::Dot(_) => self.classes += 1,
            Ast::ClassBracketed(class) if class.negated => self.classes += 1,
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Self::Err> {
        match item {
            ClassSetItem::Literal(literal) => self.saw(literal),
            ClassSetItem::Range(range) => {
                self.saw(&range.start);
                self.saw(&range.end);
                let length = u32::from(range.end.c).saturating_sub(range.start.c.into());
                self.classes += usize::from(length > MANY);
                self.wide = self.wide.saturating_add(length as usize);
            }
            ClassSetItem::Unicode(_) | ClassSetItem::Perl(_) => self.classes += 1,
            _ => {}
        }
        Ok(())
    }
}

impl Seen {
    fn saw(&mut self, literal: &Literal) {
        self.literal = true;
        self.uppercase |= literal.c.is_uppercase();
    }
}

/// At how many places of a pattern a search can be at the same time, at the most: so often each byte may be looked at.
pub(crate) fn positions(hir: &Hir) -> usize {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        // As many bytes as a character has.
        HirKind::Class(_) => 4,
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(1);
            positions(&repetition.sub).saturating_mul(times as usize)
        }
        // Where it begins and ends are places too.
        HirKind::Capture(capture) => positions(&capture.sub).saturating_add(2),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(positions).fold(0, usize::saturating_add)
        }
    }
}

/// The same pattern as whole words only.
pub(crate) fn as_word(hir: Hir) -> Hir {
    Hir::concat(vec![Hir::look(Look::WordStartHalfUnicode), hir, Hir::look(Look::WordEndHalfUnicode)])
}

/// The same pattern without line endings in its classes: within a line there are none.
pub(crate) fn within_line(hir: Hir) -> Hir {
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(Class::Unicode(mut class)) => {
            let range = |c: char| ClassUnicodeRange::new(c, c);
            class.difference(&ClassUnicode::new([range('\r'), range('\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(mut class)) => {
            let range = |byte: u8| ClassBytesRange::new(byte, byte);
            class.difference(&ClassBytes::new([range(b'\r'), range(b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(mut repetition) => {
            repetition.sub = Box::new(within_line(*repetition.sub));
            Hir::repetition(repetition)
        }
        HirKind::Capture(mut capture) => {
            capture.sub = Box::new(within_line(*capture.sub));
            Hir::capture(capture)
        }
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(within_line).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(within_line).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_multiply() {
        let of = |pattern: &str| positions(&regex_syntax::parse(pattern).unwrap());
        assert_eq!((of("abc"), of(r"\w+"), of("a|bc")), (3, 8, 3));
        assert_eq!((of("(?:ab){10}"), of("(?:(?:ab){10}){1,100}")), (20, 2000));
        assert!(of("(?:(?:a{1000}){1000}){1000}") >= 1_000_000_000);
    }

    #[test]
    fn smart_case_looks_at_letters_that_stand_for_themselves() {
        let any_case = |pattern: &str| Syntax::parse(pattern).unwrap().any_case(Case::Smart);
        assert!(any_case("foo") && any_case(r"foo\W\pL") && any_case("[a-z]"));
        assert!(!any_case("Foo") && !any_case("[A-Z]") && !any_case(r"\w"));
    }

    #[test]
    fn classes_are_counted_wherever_they_stand() {
        let classes = |pattern: &str| Syntax::parse(pattern).unwrap().classes(Case::Sensitive);
        let wide = r"[\x00-\x{10FFFF}][a-z]";
        assert_eq!((classes(wide), Syntax::parse(wide).unwrap().classes(Case::Insensitive)), (1, 112));
        assert_eq!(classes(r"\w\d[\s\pL&&[^\w]]a[b-c]"), 5);
    }
}
