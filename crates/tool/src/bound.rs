//! Keeps an answer within its bound, and says how much is missing.

use serde_json::Value;

/// Shortens `output` so that it takes at most `max` bytes, and tells how many bytes were left out.
///
/// A text is cut at a character boundary and ends with a note. In an object or array the largest texts are cut
/// and the longest lists end earlier, so that it keeps its shape.
pub(crate) fn bound(output: &mut Value, max: usize) -> Option<usize> {
    if let Value::String(text) = output {
        return (text.len() > max).then(|| cut_text(text, max));
    }
    let size = size_of(output);
    if size <= max {
        return None;
    }
    shrink(output, max);
    if size_of(output) > max {
        *output = Value::String(cut_to(&output.to_string(), max).to_owned());
    }
    Some(size.saturating_sub(size_of(output)))
}

fn cut_text(text: &mut String, max: usize) -> usize {
    let total = text.len();
    // The note is as long as it can get, so that what is kept does not depend on the number in it.
    let room = max.saturating_sub(note(total, total).len());
    let kept = cut_to(text, room).len();
    let note = note(total - kept, total);
    text.truncate(kept);
    if kept + note.len() <= max {
        text.push_str(&note);
    }
    total - kept
}

fn note(missing: usize, total: usize) -> String {
    format!("\n[output cut: {missing} of {total} bytes left out]")
}

/// The longest start of `text` that takes at most `max` bytes and ends on a character boundary.
fn cut_to(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

fn size_of(value: &Value) -> usize {
    value.to_string().len()
}

/// Cuts the largest leaf again and again; each round removes what is too much or the whole leaf.
fn shrink(output: &mut Value, max: usize) {
    const ROUNDS: usize = 64;
    for _ in 0..ROUNDS {
        let excess = size_of(output).saturating_sub(max);
        if excess == 0 {
            return;
        }
        let pointer = largest(output, String::new()).1;
        match output.pointer_mut(&pointer) {
            Some(Value::String(text)) if !text.is_empty() => {
                let keep = text.len().saturating_sub(excess + "…".len());
                *text = cut_to(text, keep).to_owned();
                if !text.is_empty() {
                    text.push('…');
                }
            }
            Some(Value::Array(items)) if !items.is_empty() => drop_tail(items, excess),
            _ => return,
        }
    }
}

fn drop_tail(items: &mut Vec<Value>, excess: usize) {
    let mut removed = 0;
    while removed < excess {
        let Some(item) = items.pop() else { return };
        removed += size_of(&item) + 1;
    }
}

/// The text or list that takes the most room, as a JSON pointer.
///
/// A list counts as one leaf unless one of its items alone takes most of it.
fn largest(value: &Value, at: String) -> (usize, String) {
    let parts: Vec<(String, &Value)> = match value {
        Value::Array(items) => items.iter().enumerate().map(|(i, item)| (i.to_string(), item)).collect(),
        Value::Object(map) => map.iter().map(|(k, v)| (k.replace('~', "~0").replace('/', "~1"), v)).collect(),
        other => return (size_of(other), at),
    };
    let inner = parts
        .into_iter()
        .map(|(key, part)| largest(part, format!("{at}/{key}")))
        .max_by_key(|(size, _)| *size)
        .unwrap_or((0, at.clone()));
    let whole = size_of(value);
    if value.is_array() && inner.0 * 2 < whole { (whole, at) } else { inner }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(mut value: Value, max: usize) -> (Value, Option<usize>) {
        let left_out = bound(&mut value, max);
        let size = value.as_str().map_or_else(|| size_of(&value), str::len);
        assert!(size <= max, "{size} > {max}: {value}");
        (value, left_out)
    }

    #[test]
    fn what_fits_is_untouched() {
        assert_eq!(check(json!("four"), 4), (json!("four"), None));
        assert_eq!(check(json!({"a": [1, 2]}), 11), (json!({"a": [1, 2]}), None));
    }

    #[test]
    fn a_text_is_cut_on_a_character_boundary_and_says_how_much_is_missing() {
        let (cut, left_out) = check(json!("ä".repeat(500)), 101);
        let cut = cut.as_str().unwrap();
        assert!(
            cut.ends_with(&format!("[output cut: {} of 1000 bytes left out]", left_out.unwrap())),
            "{cut}"
        );
        assert!(cut.starts_with('ä'));
        assert_eq!(cut.matches('ä').count() * 2 + left_out.unwrap(), 1000);
    }

    #[test]
    fn even_a_bound_below_the_note_holds() {
        for max in 0..60 {
            check(json!("é".repeat(100)), max);
            check(json!({"content": "é".repeat(100)}), max.max(2));
        }
    }

    #[test]
    fn an_object_keeps_its_shape() {
        let (value, left_out) = check(json!({"content": "x".repeat(5000), "count": 1}), 300);
        assert_eq!(value["count"], 1);
        assert!(value["content"].as_str().unwrap().ends_with('…'));
        assert!(left_out.unwrap() > 4600);
        let (value, _) = check(json!({"files": vec!["src/main.rs"; 1000], "count": 1000}), 500);
        assert!(value["files"].as_array().unwrap().len() > 20);
    }
}
