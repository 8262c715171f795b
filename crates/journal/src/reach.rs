//! Where a workspace lies among directories, and whether two of them share files.
//!
//! Known by what the directories are and not by their names, so that links, mounts and renames make no difference.

use std::fmt;

use toolcrib_workspace::{Error, Version, Workspace};

/// For each root the identities of that directory and of all above it, from itself upwards.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Reach(Vec<Vec<String>>);

impl Reach {
    pub(crate) fn of(workspace: &Workspace) -> Result<Self, Error> {
        let roots = workspace.roots().iter();
        let chain = |root: &toolcrib_workspace::Root| {
            Ok(root.ancestry()?.into_iter().map(|identity| short(identity, LETTERS)).collect())
        };
        roots.map(chain).collect::<Result<_, _>>().map(Self)
    }

    /// Whether a root of one is a root of the other, or lies below one.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let lies_in = |one: &Self, other: &Self| {
            one.0
                .iter()
                .filter_map(|chain| chain.first())
                .any(|root| other.0.iter().any(|chain| chain.contains(root)))
        };
        lies_in(self, other) || lies_in(other, self)
    }

    /// One text for each root, short enough for a name. Of a root that lies very deep the directories in the middle are
    /// left out: it is found by those who open it, what is below, or something far above.
    pub(crate) fn texts(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|chain| {
            let (near, far) = chain.split_at(chain.len().min(IN_A_TEXT / 2));
            let far = &far[far.len().saturating_sub(IN_A_TEXT / 2)..];
            [near, far].concat().join("-")
        })
    }

    /// What [`texts`](Self::texts) gave, or the parts between the colons of the whole text.
    pub(crate) fn parse<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        Self(texts.into_iter().map(|text| text.split('-').map(str::to_owned).collect()).collect())
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(|chain| chain.join("-")).collect::<Vec<_>>().join(":"))
    }
}

/// The first letters of an identity.
pub(crate) fn short(identity: Version, letters: usize) -> String {
    let mut text = identity.to_string();
    text.truncate(letters);
    text
}

/// Two directories of one machine never have so much in common by chance.
const LETTERS: usize = 12;

/// So many, with what is between them, and some room beside, fit into the 255 bytes of a name.
const IN_A_TEXT: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(chains: &[&str]) -> Reach {
        Reach::parse(chains.iter().copied())
    }

    #[test]
    fn roots_overlap_if_one_is_above_the_other_or_the_same() {
        let root = reach(&["w-home-top"]);
        for (other, overlaps) in [
            ("w-home-top", true),
            ("sub-w-home-top", true),
            ("home-top", true),
            ("top", true),
            ("beside-home-top", false),
            ("deep-beside-home-top", false),
        ] {
            assert_eq!(root.overlaps(&reach(&[other])), overlaps, "{other}");
            assert_eq!(reach(&[other]).overlaps(&root), overlaps, "{other}");
            assert_eq!(reach(&["elsewhere-top", other]).overlaps(&root), overlaps, "{other}");
        }
    }

    #[test]
    fn a_deep_root_fits_into_a_name_and_is_found_from_near_and_far() {
        let names: Vec<String> = (0..100).map(|n| format!("{n:012}")).collect();
        let deep = Reach(vec![names.clone()]);
        let text = deep.texts().next().unwrap();
        assert!(text.len() < 230, "{}", text.len());
        let read = Reach::parse([text.as_str()]);
        for above in [0, 1, 7, 92, 98, 99] {
            assert!(read.overlaps(&Reach(vec![names[above..].to_vec()])), "{above}");
        }
        let below = [vec!["below".to_owned()], names].concat();
        assert!(read.overlaps(&Reach(vec![below])));
    }
}
