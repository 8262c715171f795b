//! What `cargo metadata` knows about the packages, cut down to what the stages ask.
//!
//! Read with `--locked`: a lock file that does not match the manifests is a fault, not something to repair here.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::job::Failure;
use crate::shell;

/// The default registry, as cargo writes it.
pub(crate) const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(crate) struct Metadata {
    /// Every package of the lock file: ours and all that they pull in, on every platform.
    pub(crate) packages: Vec<Package>,
    /// Where cargo puts what it builds.
    pub(crate) target: PathBuf,
}

#[derive(Clone)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: Option<String>,
    /// Where it comes from; nothing for a package in a folder.
    pub(crate) source: Option<String>,
    /// Whether it belongs to this workspace.
    pub(crate) ours: bool,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) folder: PathBuf,
    pub(crate) examples: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct Dependency {
    /// The package's real name, also where a manifest renames it.
    pub(crate) name: String,
    pub(crate) requirement: String,
    /// Where it comes from; nothing for a package in a folder.
    pub(crate) source: Option<String>,
    /// Needed by tests, examples and benchmarks only.
    pub(crate) dev: bool,
}

impl Metadata {
    pub(crate) fn load() -> Result<Self, Failure> {
        let text = shell::read(&mut shell::cargo(["metadata", "--format-version", "1", "--locked"]))?;
        let value: Value = serde_json::from_str(&text)
            .map_err(|error| Failure::CouldNotRun(format!("`cargo metadata` printed no JSON: {error}")))?;
        Self::from_json(&value)
            .ok_or_else(|| Failure::CouldNotRun("`cargo metadata` printed an unknown shape".to_owned()))
    }

    /// Nothing if a field that must be there is missing.
    fn from_json(value: &Value) -> Option<Self> {
        let members = value["workspace_members"].as_array()?;
        let packages = value["packages"].as_array()?;
        Some(Self {
            packages: packages
                .iter()
                .map(|package| Package::from_json(package, members.contains(&package["id"])))
                .collect::<Option<_>>()?,
            target: PathBuf::from(value["target_directory"].as_str()?),
        })
    }
}

impl Package {
    fn from_json(value: &Value, ours: bool) -> Option<Self> {
        let dependencies = value["dependencies"].as_array()?;
        let is_example = |target: &&Value| {
            target["kind"].as_array().is_some_and(|kinds| kinds.contains(&"example".into()))
        };
        let examples = value["targets"].as_array()?.iter().filter(is_example);
        Some(Self {
            name: text(&value["name"])?,
            version: text(&value["version"])?,
            licence: text(&value["license"]),
            source: text(&value["source"]),
            ours,
            dependencies: dependencies.iter().map(Dependency::from_json).collect::<Option<_>>()?,
            folder: Path::new(value["manifest_path"].as_str()?).parent()?.to_owned(),
            examples: examples.map(|target| text(&target["name"])).collect::<Option<_>>()?,
        })
    }
}

impl Dependency {
    fn from_json(value: &Value) -> Option<Self> {
        Some(Self {
            name: text(&value["name"])?,
            requirement: text(&value["req"])?,
            source: text(&value["source"]),
            dev: value["kind"] == "dev",
        })
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Packages that do not exist, for showing that a rule can go red.
#[cfg(test)]
pub(crate) mod made_up {
    use super::{Dependency, Package, REGISTRY};

    /// A package of the workspace.
    pub(crate) fn ours(name: &str, dependencies: &[Dependency]) -> Package {
        Package {
            source: None,
            ours: true,
            dependencies: dependencies.to_vec(),
            ..foreign(name, "0.1.0", "MIT")
        }
    }

    /// A package from the registry.
    pub(crate) fn foreign(name: &str, version: &str, licence: &str) -> Package {
        Package {
            name: name.to_owned(),
            version: version.to_owned(),
            licence: Some(licence.to_owned()),
            source: Some(REGISTRY.to_owned()),
            ours: false,
            dependencies: Vec::new(),
            folder: "made-up".into(),
            examples: Vec::new(),
        }
    }

    /// A normal dependency: on a folder for our own packages, on the registry for all others.
    pub(crate) fn uses(name: &str) -> Dependency {
        let in_a_folder = name.starts_with("toolcrib");
        Dependency {
            name: name.to_owned(),
            requirement: if in_a_folder { "^0.1.0" } else { "^1" }.to_owned(),
            source: (!in_a_folder).then(|| REGISTRY.to_owned()),
            dev: false,
        }
    }

    pub(crate) fn uses_in_tests(name: &str) -> Dependency {
        Dependency { dev: true, ..uses(name) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_fields_the_stages_ask_for_are_read() {
        let metadata = Metadata::from_json(&json!({
            "workspace_members": ["a-id"],
            "target_directory": "/built",
            "packages": [
                {
                    "id": "a-id", "name": "a", "version": "0.1.0", "license": "MIT", "source": null,
                    "manifest_path": "/top/crates/a/Cargo.toml",
                    "targets": [{ "kind": ["lib"], "name": "a" }, { "kind": ["example"], "name": "shown" }],
                    "dependencies": [
                        { "name": "b", "req": "^1", "source": "registry+x", "kind": null },
                        { "name": "c", "req": "*", "source": null, "kind": "dev" },
                    ],
                },
                {
                    "id": "b-id", "name": "b", "version": "1.0.0", "license": null, "source": "registry+x",
                    "manifest_path": "/cache/b/Cargo.toml", "targets": [], "dependencies": [],
                },
            ],
        }))
        .unwrap();
        let [a, b] = &metadata.packages[..] else { panic!("two packages") };
        assert_eq!(metadata.target, Path::new("/built"));
        assert_eq!((a.ours, b.ours), (true, false));
        assert_eq!((a.licence.as_deref(), b.licence.as_deref()), (Some("MIT"), None));
        assert_eq!(a.folder, Path::new("/top/crates/a"));
        assert_eq!(a.examples, ["shown"]);
        assert_eq!((a.dependencies[0].dev, a.dependencies[1].dev), (false, true));
    }

    #[test]
    fn a_shape_we_do_not_know_is_refused() {
        assert!(Metadata::from_json(&json!({ "packages": [] })).is_none());
    }

    #[test]
    fn the_real_workspace_is_read() {
        let metadata = Metadata::load().unwrap();
        assert!(metadata.packages.iter().any(|package| package.name == "xtask" && package.ours));
    }
}
