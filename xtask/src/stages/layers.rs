//! The layer test: a crate uses only what stands below it, and foreign crates stay where the map puts them.
//!
//! [`map`] holds what is allowed; this module holds the rules, [`scan`] reads sources for what manifests do not show.
//! Dependencies of tests, examples and benchmarks are free: they ship with nothing.

mod map;
mod scan;

use crate::job::{Outcome, none_of};
use crate::metadata::{Dependency, Metadata, Package};
use map::{CRATES, Crate, FENCES, Fence, OpenTo, PURE, PURE_FOREIGN, WITHOUT_WORLD};

const MAP: &str = "xtask/src/stages/layers/map.rs";

pub(crate) fn check() -> Outcome {
    let packages = Metadata::load()?.packages;
    let mut faults = dependency_faults(&packages);
    for package in packages.iter().filter(|package| WITHOUT_WORLD.contains(&package.name.as_str())) {
        faults.extend(scan::world_below(&package.folder.join("src"))?);
    }
    for package in packages.iter().filter(|package| package.ours) {
        faults.extend(scan::unsafe_below(&package.folder.join("src"))?);
    }
    none_of(faults)
}

fn dependency_faults(packages: &[Package]) -> Vec<String> {
    packages.iter().filter(|package| package.ours).flat_map(faults_of).collect()
}

fn faults_of(package: &Package) -> Vec<String> {
    let Some(place) = CRATES.iter().find(|place| place.name == package.name) else {
        return vec![format!("{} has no place on the map: add it to CRATES in {MAP}", package.name)];
    };
    let shipped = package.dependencies.iter().filter(|dependency| !dependency.dev);
    shipped.flat_map(|dependency| place.faults_with(dependency)).collect()
}

impl Crate {
    fn faults_with(&self, dependency: &Dependency) -> Vec<String> {
        if dependency.source.is_none() {
            return self.layer_fault(&dependency.name).into_iter().collect();
        }
        let fences = FENCES.iter().filter_map(|fence| fence.fault(self.name, &dependency.name));
        fences.chain(self.purity_fault(&dependency.name)).collect()
    }

    fn layer_fault(&self, used: &str) -> Option<String> {
        let Self { name, may_use, must_not_know } = self;
        if may_use.contains(&used) {
            return None;
        }
        let allowed = if may_use.is_empty() { "none of ours".to_owned() } else { may_use.join(", ") };
        Some(format!(
            "{name} depends on {used}: it must not know {must_not_know}; it may use {allowed} ({MAP})"
        ))
    }

    fn purity_fault(&self, foreign: &str) -> Option<String> {
        let allowed = !PURE.contains(&self.name) || PURE_FOREIGN.contains(&foreign);
        (!allowed).then(|| {
            format!(
                "{} depends on {foreign}, which is not known to be free of IO (PURE_FOREIGN in {MAP})",
                self.name
            )
        })
    }
}

impl Fence {
    fn fault(&self, user: &str, foreign: &str) -> Option<String> {
        let open = match self.open_to {
            OpenTo::Only(users) => users.contains(&user),
            OpenTo::AllBut(users) => !users.contains(&user),
        };
        if open || !self.encloses(foreign) {
            return None;
        }
        Some(match self.open_to {
            OpenTo::Only(users) => {
                format!(
                    "{user} depends on {foreign}, which only {} may name (FENCES in {MAP})",
                    users.join(", ")
                )
            }
            OpenTo::AllBut(_) => {
                format!("{user} depends on {foreign}, which is kept out of it (FENCES in {MAP})")
            }
        })
    }

    fn encloses(&self, foreign: &str) -> bool {
        match self.foreign.strip_suffix('*') {
            Some(start) => foreign.starts_with(start),
            None => foreign == self.foreign,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::made_up::{ours, uses, uses_in_tests};

    /// The faults of one package with these dependencies.
    fn faults(name: &str, dependencies: &[Dependency]) -> Vec<String> {
        dependency_faults(&[ours(name, dependencies)])
    }

    #[track_caller]
    fn assert_red(name: &str, used: &str, sentence: &str) {
        let found = faults(name, &[uses(used)]).join("\n");
        assert!(found.starts_with(sentence), "{name} -> {used} gives {found:?}");
        assert_eq!(faults(name, &[uses_in_tests(used)]), [""; 0], "{name} may use {used} in tests");
    }

    #[track_caller]
    fn assert_green(name: &str, used: &[&str]) {
        let dependencies: Vec<_> = used.iter().map(|used| uses(used)).collect();
        assert_eq!(faults(name, &dependencies), [""; 0]);
    }

    #[test]
    fn a_crate_uses_what_stands_below_it() {
        assert_green("toolcrib-patch", &["toolcrib-edit", "toolcrib-text", "memchr", "thiserror"]);
        assert_green(
            "toolcrib-access",
            &["toolcrib-tool", "toolcrib-workspace", "toolcrib-journal", "serde_json", "tokio-util"],
        );
        assert_green("toolcrib-cli", &["toolcrib", "toolcrib-mcp", "clap", "serde_json"]);
        assert_green("toolcrib-python", &["toolcrib", "toolcrib-cli", "pyo3", "serde_json"]);
    }

    #[test]
    fn a_crate_uses_nothing_above_or_beside_it() {
        for (name, used, must_not_know) in [
            ("toolcrib-text", "toolcrib-edit", "files; it may use none of ours"),
            ("toolcrib-edit", "toolcrib-workspace", "files, permissions or JSON; it may use toolcrib-text"),
            ("toolcrib-workspace", "toolcrib-search", "tools or what the bytes mean"),
            ("toolcrib-tool", "toolcrib-workspace", "the disk, the journal or any tool in particular"),
            ("toolcrib-access", "toolcrib-files", "any tool in particular"),
            ("toolcrib-files", "toolcrib-dialects", "JSON or how an agent speaks"),
            ("toolcrib-dialects", "toolcrib-workspace", "the disk"),
            ("toolcrib", "toolcrib-mcp", "the doors"),
            ("toolcrib-mcp", "toolcrib-tool", "what lies behind the facade"),
            ("toolcrib-mcp", "toolcrib-cli", "what lies behind the facade"),
            ("xtask", "toolcrib", "the product"),
        ] {
            assert_red(name, used, &format!("{name} depends on {used}: it must not know {must_not_know}"));
        }
    }

    #[test]
    fn the_testkit_helps_tests_only() {
        for place in CRATES {
            assert_red(
                place.name,
                "toolcrib-testkit",
                &format!("{} depends on toolcrib-testkit", place.name),
            );
        }
    }

    #[test]
    fn foreign_crates_stay_behind_their_fences() {
        for (name, used, reason) in [
            ("toolcrib", "rmcp", "only toolcrib-mcp may name"),
            ("toolcrib-mcp", "clap", "only toolcrib-cli may name"),
            ("toolcrib-cli", "pyo3", "only toolcrib-python may name"),
            ("toolcrib-dialects", "rustix", "only toolcrib-workspace, toolcrib-testkit may name"),
            ("toolcrib-files", "globset", "only toolcrib-search may name"),
            ("toolcrib-files", "ignore", "only toolcrib-index, toolcrib-search may name"),
            ("toolcrib-files", "grep-regex", "only toolcrib-search may name"),
            ("toolcrib-cli", "schemars", "only toolcrib-tool, toolcrib-dialects may name"),
            ("toolcrib-files", "serde_json", "is kept out of it"),
            ("toolcrib-workspace", "serde", "is kept out of it"),
        ] {
            assert_red(name, used, &format!("{name} depends on {used}, which {reason}"));
        }
    }

    #[test]
    fn pure_crates_use_only_what_is_known_to_do_no_io() {
        for name in PURE {
            assert_red(
                name,
                "tempfile",
                &format!("{name} depends on tempfile, which is not known to be free of IO"),
            );
            // Notebooks are JSON, so formats alone reads it; the fence keeps it out of the others.
            let json = faults(name, &[uses("serde_json")]);
            assert_eq!(json.is_empty(), *name == "toolcrib-formats", "{json:?}");
        }
        assert_green("toolcrib-search", &["tempfile"]);
    }

    #[test]
    fn a_crate_without_a_place_is_told_where_to_add_it() {
        assert_eq!(
            faults("toolcrib-novel", &[]),
            ["toolcrib-novel has no place on the map: add it to CRATES in xtask/src/stages/layers/map.rs"]
        );
    }

    #[test]
    fn the_map_has_no_cycle_and_names_only_what_it_places() {
        // Each entry uses only entries that come before it in the list.
        for (at, place) in CRATES.iter().enumerate() {
            for used in place.may_use {
                assert!(CRATES[..at].iter().any(|lower| lower.name == *used), "{} before {used}", place.name);
            }
        }
        let places = |name: &&str| CRATES.iter().any(|place| place.name == *name);
        assert!(PURE.iter().chain(WITHOUT_WORLD).all(places));
        for Fence { foreign, open_to: OpenTo::Only(users) | OpenTo::AllBut(users) } in FENCES {
            assert!(users.iter().all(places), "the fence of {foreign} names a crate without a place");
        }
    }
}
