//! What a caller probably meant.

/// The candidate that is most like `given`, if one is like enough to be worth naming.
///
/// Case, `_` and `-` do not count, so that `filePath` is near `file_path`. No caller means anything by a name of more
/// than a hundred bytes.
///
/// ```
/// assert_eq!(toolcrib_tool::nearest("filepath", ["offset", "file_path"]), Some("file_path"));
/// assert_eq!(toolcrib_tool::nearest("colour", ["offset", "file_path"]), None);
/// ```
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = if given.len() > LONGEST { String::new() } else { plain(given) };
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| (distance(&given, &plain(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.chars().count().max(given.chars().count()) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Comparing takes time and memory in proportion to both lengths.
const LONGEST: usize = 100;

fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

/// A name that the other one contains or ends with (`path` in `file_path`) is one step away, not five.
fn distance(given: &str, candidate: &str) -> usize {
    let edits = strsim::damerau_levenshtein(given, candidate);
    let within =
        given.len() >= 3 && candidate.len() >= 3 && (given.contains(candidate) || candidate.contains(given));
    if within { edits.min(1) } else { edits }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn names_what_was_meant_and_nothing_far_fetched() {
        let names = ["Read", "Write", "Edit", "MultiEdit"];
        assert_eq!(nearest("read", names), Some("Read"));
        assert_eq!(nearest("Wriet", names), Some("Write"));
        assert_eq!(nearest("multi_edit", names), Some("MultiEdit"));
        assert_eq!(nearest("Bash", names), None);
        assert_eq!(nearest("", names), None);
    }

    #[test]
    fn a_name_of_any_length_is_compared_in_no_time() {
        let long = "file_path".repeat(1_000_000);
        assert_eq!(nearest(&long, ["file_path"]), None);
        assert_eq!(nearest("file_path", [&*long]), None);
    }

    #[test]
    fn a_part_of_the_name_is_near() {
        assert_eq!(nearest("path", ["limit", "file_path"]), Some("file_path"));
    }
}
