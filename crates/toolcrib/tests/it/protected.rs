//! Protected names in every spelling, and ordinary names, through every tool.

use std::fs;

use serde_json::json;
use toolcrib::Toolbox;
use toolcrib_testkit::{Tree, ordinary_names, spellings};

use crate::probes::{Probe, every_tool, read};

const SECRET: &str = "do-not-tell";

#[test]
fn no_spelling_of_a_protected_name_is_a_way_around() {
    let dir = tempfile::tempdir().unwrap();
    let names = [".env", "config/.env.production", "id_ed25519", "server.pem", ".netrc"];
    let mut tried = 0;
    for probe in every_tool() {
        let Probe { dialect, tool, .. } = probe;
        let toolbox = Toolbox::builder().root(dir.path()).dialect(dialect).more_tools(true).open().unwrap();
        for spelling in names.iter().flat_map(|name| spellings(name)) {
            // A file system may take a spelling for the name itself; on this one it is a file of its own.
            let file = dir.path().join(&spelling);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, SECRET).unwrap();
            let result = toolbox.call_blocking(tool, probe.aim(dir.path(), &file), &toolbox.context());
            let told = serde_json::to_string(&result).unwrap();
            assert!(!told.contains(SECRET), "{dialect} {tool} told the content of {spelling:?}");
            assert_eq!(fs::read_to_string(&file).unwrap(), SECRET, "{dialect} {tool} changed {spelling:?}");
            fs::remove_file(&file).unwrap();
            tried += 1;
        }
    }
    println!("{tried} calls with a protected name in disguise, 0 ways around");
}

#[test]
fn a_patch_neither_moves_nor_copies_a_protected_file_nor_makes_one() {
    let dir = tempfile::tempdir().unwrap();
    let toolbox = Toolbox::open(dir.path()).unwrap();
    fs::write(dir.path().join(".env"), SECRET).unwrap();
    fs::write(dir.path().join("plain"), "plain\n").unwrap();
    let before = Tree::read(dir.path());
    for (from, to) in [(".env", "shown"), ("plain", ".env.local"), ("plain", "sub/.env")] {
        for verb in ["rename", "copy"] {
            let patch = format!("diff --git a/{from} b/{to}\n{verb} from {from}\n{verb} to {to}\n");
            let result =
                toolbox.call_blocking("ApplyPatch", json!({"patch_text": patch}), &toolbox.context());
            assert_eq!(result.metadata["error_kind"], "permission_denied", "{verb} {from} {to}");
            assert!(!serde_json::to_string(&result).unwrap().contains(SECRET));
        }
    }
    assert_eq!(Tree::read(dir.path()), before);
}

#[test]
fn ordinary_names_are_served() {
    let dir = tempfile::tempdir().unwrap();
    let toolbox = Toolbox::open(dir.path()).unwrap();
    for name in ordinary_names() {
        let file = dir.path().join(&name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "ordinary\n").unwrap();
        let result = toolbox.call_blocking("Read", read(&file), &toolbox.context());
        assert_eq!(result.output, "     1\tordinary", "{name}: {:?}", result.error);
        fs::remove_file(&file).unwrap();
    }
}

/// A package about kubeconfigs is a directory of sources. Only files are secrets by their name.
#[test]
fn a_directory_that_is_called_like_a_secret_is_none() {
    let dir = tempfile::tempdir().unwrap();
    for name in
        ["pkg/kubeconfig/load.go", "src/htpasswd/mod.rs", "crypto_rsa/key.go", ".env/bin/python", ".ssh/work"]
    {
        let file = dir.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "ordinary\n").unwrap();
    }
    fs::write(dir.path().join("pkg/.env"), SECRET).unwrap();
    let toolbox = Toolbox::open(dir.path()).unwrap();
    let call =
        |tool: &str, arguments| toolbox.call_blocking(tool, arguments, &toolbox.context()).to_display();
    let listed = call("LS", json!({"path": dir.path(), "recursive": true}));
    let arguments =
        json!({"pattern": "**/*", "path": dir.path(), "include_directories": true, "include_hidden": true});
    let globbed = call("Glob", arguments);
    for found in [listed, globbed] {
        for name in ["kubeconfig", "load.go", "htpasswd", "mod.rs", "crypto_rsa", "key.go", "python"] {
            assert!(found.contains(name), "{name} is not in {found}");
        }
        assert!(!found.contains("pkg/.env") && !found.contains("work"), "{found}");
    }
}
