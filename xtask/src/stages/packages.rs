//! The packages can be made: everything has one version, and each crate has what a registry asks for.
//!
//! Packs every crate, which finds a dependency without a version, and looks at what is in it. Whether the packed crates build is
//! left to `cargo xtask release crates`.

use std::fs;

use serde_json::Value;

use crate::job::{Failure, Outcome, all_of, none_of};
use crate::metadata::Metadata;
use crate::shell::{cargo, program, read, root, run};

/// The place that names the version; everything else follows it.
const ONE_PLACE: &str = "Cargo.toml";
/// What a package for npm says that gets its version when it is packed.
const WHEN_PACKED: &str = "0.0.0";
/// What crates.io asks for, or shows.
const FIELDS: [&str; 7] =
    ["description", "license", "repository", "readme", "keywords", "categories", "rust_version"];
const LICENCES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

pub(crate) fn check() -> Outcome {
    let metadata = read(&mut cargo(["metadata", "--format-version", "1", "--locked", "--no-deps"]))?;
    let metadata: Value = serde_json::from_str(&metadata)
        .map_err(|error| Failure::CouldNotRun(format!("`cargo metadata` printed no JSON: {error}")))?;
    let published: Vec<&Value> =
        metadata["packages"].as_array().into_iter().flatten().filter(is_published).collect();
    let version = published.first().and_then(|package| package["version"].as_str()).unwrap_or_default();
    println!("{} crates to publish, version {version}", published.len());
    all_of([
        versions(version),
        none_of(published.iter().flat_map(|package| field_faults(package)).collect()),
        pack(&published),
    ])
}

/// `publish = false` is an empty list of registries.
fn is_published(package: &&Value) -> bool {
    package["publish"].is_null()
}

fn field_faults(package: &Value) -> Vec<String> {
    let name = &package["name"];
    let empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    let missing = FIELDS.iter().filter(|field| empty(&package[**field]));
    missing.map(|field| format!("{name} has no {field}, which its page on the registry needs")).collect()
}

/// Every file that names the version names the same one.
fn versions(version: &str) -> Outcome {
    let files = read(program("git").args([
        "ls-files",
        "*Cargo.toml",
        "*package.json",
        "CHANGELOG.md",
        "pyproject.toml",
    ]))?;
    let mut faults = Vec::new();
    for file in files.lines().filter(|file| !file.starts_with("scenarios/") && !file.starts_with("tests/")) {
        let text = fs::read_to_string(root().join(file))
            .map_err(|error| Failure::CouldNotRun(format!("{file}: {error}")))?;
        faults.extend(version_faults(file, &text, version));
    }
    none_of(faults)
}

fn version_faults(file: &str, text: &str, version: &str) -> Vec<String> {
    let fault = |what: &str| format!("{file}: {what}, and {ONE_PLACE} says {version}");
    match file.rsplit('/').next().unwrap_or(file) {
        "package.json" => package_json(text, version).iter().map(|what| fault(what)).collect(),
        "CHANGELOG.md" => changelog(text, version).iter().map(|what| fault(what)).collect(),
        "pyproject.toml" if !text.contains("dynamic = [\"version\"]") => {
            vec![fault("the version is not taken from the crate (`dynamic`)")]
        }
        "Cargo.toml" => our_dependencies(text)
            .filter(|(_, asked)| *asked != version)
            .map(|(name, asked)| fault(&format!("asks for {name} {asked}")))
            .collect(),
        _ => Vec::new(),
    }
}

/// Our crates in a manifest that are asked for by version: the name and the version.
fn our_dependencies(manifest: &str) -> impl Iterator<Item = (&str, &str)> {
    manifest.lines().filter(|line| line.starts_with("toolcrib")).filter_map(|line| {
        let (name, rest) = line.split_once(" = ")?;
        Some((name, rest.split_once("version = \"")?.1.split_once('"')?.0))
    })
}

/// The version of a package for npm, and of ours that it depends on.
fn package_json(text: &str, version: &str) -> Vec<String> {
    let Ok(package) = serde_json::from_str::<Value>(text) else { return vec!["is not JSON".to_owned()] };
    let differs =
        |named: &Value| named.as_str().is_some_and(|named| named != version && named != WHEN_PACKED);
    let own = Some(&package["version"]).filter(|own| differs(own)).map(|own| format!("has version {own}"));
    let dependencies = ["dependencies", "optionalDependencies", "peerDependencies"]
        .iter()
        .filter_map(|kind| package[*kind].as_object())
        .flatten()
        .filter(|(name, asked)| name.trim_start_matches('@').starts_with("toolcrib") && differs(asked));
    let asks = dependencies.map(|(name, asked)| format!("asks for {name} {asked}"));
    own.into_iter().chain(asks).collect()
}

/// The first version below Unreleased, which is the one at hand.
fn changelog(text: &str, version: &str) -> Option<String> {
    let mut headings = text.lines().filter_map(|line| line.strip_prefix("## ["));
    if headings.next()? != "Unreleased]" {
        return Some("does not begin with Unreleased".to_owned());
    }
    let latest = headings.next().unwrap_or_default();
    let dated = latest.strip_prefix(version).is_some_and(|rest| rest.starts_with("] - 20"));
    (!dated).then(|| format!("the latest version is [{latest}"))
}

/// Packs the crates, and looks whether each has the licences in it.
fn pack(published: &[&Value]) -> Outcome {
    let mut command =
        cargo(["package", "--workspace", "--no-verify", "--allow-dirty", "--offline", "--quiet"]);
    run(&mut command)?;
    let folder = Metadata::load()?.target.join("package");
    let mut faults = Vec::new();
    for package in published {
        let (name, version) =
            (package["name"].as_str().unwrap_or_default(), package["version"].as_str().unwrap_or_default());
        let crate_file = folder.join(format!("{name}-{version}.crate"));
        let files = read(program("tar").arg("-tf").arg(&crate_file))?;
        let lacks = LICENCES
            .iter()
            .chain(&["README.md"])
            .filter(|file| !files.lines().any(|line| line.ends_with(&format!("/{file}"))));
        faults.extend(lacks.map(|file| format!("{name} is packed without {file}")));
    }
    none_of(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, text: &str, expected: &[&str]) {
        let expected: Vec<String> =
            expected.iter().map(|what| format!("{file}: {what}, and Cargo.toml says 1.2.3")).collect();
        assert_eq!(version_faults(file, text, "1.2.3"), expected);
    }

    #[test]
    fn a_version_of_its_own_is_found_wherever_it_is() {
        check(
            "a/package.json",
            r#"{"version": "1.2.3", "optionalDependencies": {"toolcrib-linux": "1.2.3"}}"#,
            &[],
        );
        check(
            "a/package.json",
            r#"{"version": "1.2.2", "optionalDependencies": {"@toolcrib/linux": "1.0.0"}, "dependencies": {"zod": "4.0.0"}}"#,
            &["has version \"1.2.2\"", "asks for @toolcrib/linux \"1.0.0\""],
        );
        check("a/package.json", r#"{"version": "0.0.0"}"#, &[]);
        check(
            "Cargo.toml",
            "serde = { version = \"1\" }\ntoolcrib-a = { path = \"a\", version = \"1.2.3\" }",
            &[],
        );
        check(
            "Cargo.toml",
            "toolcrib-a = { path = \"a\", version = \"1.2.2\" }",
            &["asks for toolcrib-a 1.2.2"],
        );
        check(
            "pyproject.toml",
            "version = \"1.2.3\"",
            &["the version is not taken from the crate (`dynamic`)"],
        );
        check("CHANGELOG.md", "# C\n## [Unreleased]\n## [1.2.3] - 2026-01-01\n## [1.2.2] - 2025-01-01", &[]);
        check(
            "CHANGELOG.md",
            "## [Unreleased]\n## [1.2.2] - 2025-01-01",
            &["the latest version is [1.2.2] - 2025-01-01"],
        );
    }

    #[test]
    fn a_crate_without_a_field_is_named() {
        let package = serde_json::json!({"name": "a", "description": "d", "license": "MIT", "repository": "r", "readme": null, "keywords": [], "categories": ["c"], "rust_version": "1"});
        assert_eq!(field_faults(&package).len(), 2, "{:?}", field_faults(&package));
    }
}
