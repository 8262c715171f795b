//! Characters that are in a text and are not seen.

/// Whether a character has no shape of its own and may be left out when texts are compared or shown: soft hyphens,
/// joiners, marks of direction, variation selectors, tags.
///
/// These are Unicode's default ignorable code points, `Default_Ignorable_Code_Point` in
/// <https://www.unicode.org/Public/UCD/latest/ucd/DerivedCoreProperties.txt>. Controls, blanks and the separators of lines
/// and paragraphs are not among them.
///
/// ```
/// use toolcrib_text::is_ignorable;
///
/// assert!(['\u{AD}', '\u{200B}', '\u{202E}', '\u{FEFF}'].into_iter().all(is_ignorable));
/// assert!(!['a', ' ', '\n', '\u{A0}', '\u{2028}'].into_iter().any(is_ignorable));
/// ```
#[must_use]
pub fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}'
    )
}
