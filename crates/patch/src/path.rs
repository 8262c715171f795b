//! Paths as patches write them, and those that are refused.

use crate::error::ErrorKind;

/// The path, if it stays below the place it starts from: relative, without `..`.
pub(crate) fn checked(path: &str) -> Result<String, ErrorKind> {
    let refuse = |problem| Err(ErrorKind::Path { path: path.to_owned(), problem });
    let drive = path.as_bytes().get(1) == Some(&b':') && path.starts_with(|c: char| c.is_ascii_alphabetic());
    if path.starts_with(['/', '\\']) || drive {
        return refuse("is absolute");
    }
    if path.split(['/', '\\']).any(|part| part == "..") {
        return refuse("climbs out with ..");
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.is_empty() || path.ends_with('/') {
        return refuse("is not the path of a file");
    }
    Ok(parts.join("/"))
}

/// The same as models write it in an envelope: also from the top of the file system, or with `..` that leads no higher than where
/// it starts. Whether it may be reached is decided by the code that opens it.
pub(crate) fn checked_or_absolute(path: &str) -> Result<String, ErrorKind> {
    let (top, rest) = match path.strip_prefix('/') {
        Some(rest) if rest.starts_with('/') => return checked(path),
        Some(rest) => ("/", rest),
        None => ("", path),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in rest.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match part {
            ".." if parts.last().is_some_and(|part| *part != "..") => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    let end = if rest.ends_with('/') { "/" } else { "" };
    checked(&format!("{}{end}", parts.join("/"))).map(|rest| format!("{top}{rest}"))
}

/// A name in quotes with the escapes of C, as git writes it, and what follows it. Nothing, if it is no such name.
pub(crate) fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('"')?;
    let mut bytes = Vec::new();
    loop {
        let c = rest.chars().next()?;
        rest = &rest[c.len_utf8()..];
        match c {
            '"' => return Some((String::from_utf8(bytes).ok()?, rest)),
            '\\' => {
                let (byte, after) = escape(rest)?;
                bytes.push(byte);
                rest = after;
            }
            c => bytes.extend(c.to_string().bytes()),
        }
    }
}

fn escape(text: &str) -> Option<(u8, &str)> {
    let octal: String = text.chars().take(3).take_while(|c| ('0'..='7').contains(c)).collect();
    if octal.len() == 3 {
        return Some((u8::from_str_radix(&octal, 8).ok()?, &text[3..]));
    }
    let byte = match text.chars().next()? {
        'a' => 7,
        'b' => 8,
        't' => b'\t',
        'n' => b'\n',
        'v' => 11,
        'f' => 12,
        'r' => b'\r',
        '"' => b'"',
        '\\' => b'\\',
        _ => return None,
    };
    Some((byte, &text[1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below() {
        for (path, expected) in [
            ("a", "a"),
            ("./a//b", "a/b"),
            ("a b/ü", "a b/ü"),
            ("..a/b..", "..a/b.."),
            ("a\\b", "a\\b"),
            ("a\nb", "a\nb"),
        ] {
            assert_eq!(checked(path).as_deref(), Ok(expected));
        }
        for path in ["/a", "a/../b", "..", "a/..", "", ".", "a/", "C:\\a", "c:/a", "\\\\host\\a", "..\\a"] {
            assert!(checked(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn an_envelope_may_name_a_path_in_full() {
        assert_eq!(checked_or_absolute("/ws/./a//b").as_deref(), Ok("/ws/a/b"));
        assert_eq!(checked_or_absolute("a/b").as_deref(), Ok("a/b"));
        assert_eq!(checked_or_absolute("/ws/sub/../a").as_deref(), Ok("/ws/a"));
        assert_eq!(checked_or_absolute("sub/deep/../../a").as_deref(), Ok("a"));
        for path in ["/../a", "../a", "a/../../b", "a/..", "a/./../..", "//host/a", "/", "/a/", "C:\\a"] {
            assert!(checked_or_absolute(path).is_err(), "{path:?}");
        }
    }

    #[test]
    fn names_in_quotes() {
        for (text, expected) in [
            (r#""a/t\303\251\t\"\\" rest"#, Some(("a/té\t\"\\".to_owned(), " rest"))),
            (r#""\a\b\t\n\v\f\r""#, Some(("\u{7}\u{8}\t\n\u{b}\u{c}\r".to_owned(), ""))),
            (r#""é""#, Some(("é".to_owned(), ""))),
            (r#""\377""#, None),
            (r#""\q""#, None),
            (r#""\400""#, None),
            (r#""open"#, None),
            ("plain", None),
        ] {
            assert_eq!(unquoted(text), expected, "{text}");
        }
    }
}
