//! What we depend on: licences, sources, banned packages, open versions, and the same package twice.
//!
//! Does what cargo-deny would do for us with the data that cargo has at hand: installing cargo-deny from source takes a
//! quarter of an hour on a small machine, more than all the other stages, and the prebuilt one on PyPI does not know the
//! licences of today. It does not look for security advisories: a job in .github/workflows/ci.yml does.

mod licence;
mod lists;

use std::collections::BTreeMap;

use crate::job::{Outcome, none_of};
use crate::metadata::{Metadata, Package, REGISTRY};
use lists::{BANNED, DUPLICATES, LICENCES};

const LISTS: &str = "xtask/src/stages/deny/lists.rs";

pub(crate) fn check() -> Outcome {
    let packages = Metadata::load()?.packages;
    println!("looking at {} packages", packages.len());
    let twice = duplicates(&packages);
    for (name, _) in DUPLICATES.iter().filter(|(name, _)| !twice.contains_key(name)) {
        println!("note: {name} is not there twice any more; it can leave DUPLICATES in {LISTS}");
    }
    none_of(faults(&packages))
}

fn faults(packages: &[Package]) -> Vec<String> {
    let rules = [licence_fault, source_fault, ban_fault];
    let mut faults: Vec<String> =
        packages.iter().flat_map(|package| rules.iter().filter_map(move |rule| rule(package))).collect();
    faults.extend(packages.iter().filter(|package| package.ours).flat_map(wildcard_faults));
    faults.extend(duplicate_faults(packages));
    faults
}

fn licence_fault(package: &Package) -> Option<String> {
    let Package { name, version, licence, .. } = package;
    let Some(licence) = licence else {
        return Some(format!("{name} {version} names no licence"));
    };
    match licence::satisfied(licence, LICENCES) {
        Ok(true) => None,
        Ok(false) => {
            Some(format!("{name} {version}: its licence {licence} is not allowed (LICENCES in {LISTS})"))
        }
        Err(reason) => Some(format!("{name} {version}: its licence {licence:?} cannot be read: {reason}")),
    }
}

fn source_fault(package: &Package) -> Option<String> {
    let source = package.source.as_deref().filter(|source| *source != REGISTRY)?;
    Some(format!("{} {} comes from {source}, not from the default registry", package.name, package.version))
}

fn ban_fault(package: &Package) -> Option<String> {
    let (name, reason) = BANNED.iter().find(|(name, _)| *name == package.name)?;
    Some(format!(
        "{name} {} is banned: {reason} (`cargo tree -i {name}` shows who brings it)",
        package.version
    ))
}

fn wildcard_faults(package: &Package) -> Vec<String> {
    let open = package.dependencies.iter().filter(|dependency| {
        // In tests a folder needs no version: cargo leaves it out of what it publishes.
        let published = dependency.source.is_some() || !dependency.dev;
        published && dependency.requirement.contains('*')
    });
    open.map(|dependency| {
        let (name, requirement) = (&dependency.name, &dependency.requirement);
        format!("{} asks for {name} {requirement}: name a version", package.name)
    })
    .collect()
}

fn duplicate_faults(packages: &[Package]) -> Vec<String> {
    let mut duplicates = duplicates(packages);
    duplicates.retain(|name, _| !DUPLICATES.iter().any(|(allowed, _)| allowed == name));
    let sentence = |(name, versions): (&str, Vec<&str>)| {
        let versions = versions.join(", ");
        format!(
            "{name} is there more than once: {versions} (`cargo tree -d`; DUPLICATES in {LISTS} takes a reason)"
        )
    };
    duplicates.into_iter().map(sentence).collect()
}

/// The packages that are there in more than one version, with these versions.
fn duplicates(packages: &[Package]) -> BTreeMap<&str, Vec<&str>> {
    let mut versions = BTreeMap::<&str, Vec<&str>>::new();
    for package in packages {
        versions.entry(&package.name).or_default().push(&package.version);
    }
    versions.retain(|_, versions| versions.len() > 1);
    versions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Dependency;
    use crate::metadata::made_up::{foreign, ours, uses, uses_in_tests};

    #[track_caller]
    fn check(packages: &[Package], expected: &[&str]) {
        let found = faults(packages);
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}");
        }
    }

    #[test]
    fn a_clean_tree_passes() {
        let tool = ours("toolcrib-tool", &[uses("toolcrib-text"), uses("serde")]);
        check(&[tool, foreign("serde", "1.0.0", "MIT OR Apache-2.0")], &[]);
    }

    #[test]
    fn licences_must_be_there_be_readable_and_be_allowed() {
        check(&[foreign("a", "1.0.0", "MPL-2.0")], &["a 1.0.0: its licence MPL-2.0 is not allowed"]);
        check(&[foreign("a", "1.0.0", "MIT OR")], &["a 1.0.0: its licence \"MIT OR\" cannot be read"]);
        check(&[Package { licence: None, ..foreign("a", "1.0.0", "") }], &["a 1.0.0 names no licence"]);
    }

    #[test]
    fn packages_come_from_the_default_registry_or_a_folder() {
        for source in ["git+https://example.org/a?rev=1#1", "registry+https://example.org/index"] {
            let package = Package { source: Some(source.to_owned()), ..foreign("a", "1.0.0", "MIT") };
            check(&[package], &[&format!("a 1.0.0 comes from {source}")]);
        }
    }

    #[test]
    fn banned_packages_say_what_to_use_instead() {
        check(
            &[foreign("lazy_static", "1.5.0", "MIT")],
            &["lazy_static 1.5.0 is banned: std::sync::LazyLock"],
        );
    }

    #[test]
    fn open_versions_are_refused() {
        for (name, requirement) in [("serde", "*"), ("serde", "1.*"), ("toolcrib-text", "*")] {
            let open = Dependency { requirement: requirement.to_owned(), ..uses(name) };
            check(
                &[ours("toolcrib-tool", &[open])],
                &[&format!("toolcrib-tool asks for {name} {requirement}")],
            );
        }
        let testkit = Dependency { requirement: "*".to_owned(), ..uses_in_tests("toolcrib-testkit") };
        check(&[ours("toolcrib-tool", &[testkit])], &[]);
    }

    #[test]
    fn a_second_version_needs_a_reason() {
        let twice = |name| [foreign(name, "1.0.0", "MIT"), foreign(name, "2.0.0", "MIT")];
        check(&twice("serde"), &["serde is there more than once: 1.0.0, 2.0.0"]);
        check(&twice("syn"), &[]);
    }
}
