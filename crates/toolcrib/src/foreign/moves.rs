//! Which of the files that are gone are the ones that have appeared, under another name.

use std::collections::HashMap;

use toolcrib_workspace::Version;

/// Pairs what is gone with what has appeared, by content. A content that there is more than once on either side says nothing,
/// and neither does an empty one. The answer are positions in both lists.
pub(super) fn pair(gone: &[Version], appeared: &[Version]) -> Vec<(usize, usize)> {
    let once = |versions: &[Version]| {
        let mut found: HashMap<Version, Option<usize>> = HashMap::new();
        for (at, version) in versions.iter().enumerate() {
            found.entry(*version).and_modify(|at| *at = None).or_insert(Some(at));
        }
        found
    };
    let (gone, appeared) = (once(gone), once(appeared));
    let empty = Version::of(b"");
    let mut pairs: Vec<(usize, usize)> = gone
        .into_iter()
        .filter(|(version, _)| *version != empty)
        .filter_map(|(version, from)| Some((from?, (*appeared.get(&version)?)?)))
        .collect();
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_certain_is_a_move() {
        let version = |text: &str| Version::of(text.as_bytes());
        let gone = ["a", "b", "", "twice", "twice"].map(version);
        let appeared = ["twice", "", "b", "c", "a"].map(version);
        assert_eq!(pair(&gone, &appeared), [(0, 4), (1, 2)]);
        assert_eq!(pair(&gone[..1], &[version("a"), version("a")]), []);
    }
}
