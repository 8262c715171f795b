//! Images, PDF documents and notebooks are files like others: judged, remembered, configured.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolcrib::{Config, Dialect, ToolResult, Toolbox};
use toolcrib_workspace::Version;

/// A file of one of Read's scenarios.
fn example(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/read").join(name)).unwrap()
}

struct Home {
    dir: tempfile::TempDir,
    toolbox: Toolbox,
}

impl Home {
    fn new(config: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (name, example_name) in [
            ("photo.png", "060_image/input/photo.png"),
            ("wide.png", "067_image_scaled_down/input/wide.png"),
            ("document.pdf", "080_pdf/input/document.pdf"),
            ("analysis.ipynb", "090_notebook/input/analysis.ipynb"),
        ] {
            fs::write(dir.path().join(name), example(example_name)).unwrap();
        }
        let config = Config::parse(config).unwrap();
        let toolbox = Toolbox::builder().root(dir.path()).config(config).open().unwrap();
        Self { dir, toolbox }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn read(&self, name: &str) -> ToolResult {
        let parameters = json!({"file_path": self.path(name)});
        self.toolbox.call_blocking("Read", parameters, &self.toolbox.context().session("s"))
    }

    fn write(&self, name: &str) -> Value {
        let parameters = json!({"file_path": self.path(name), "content": "text\n"});
        let result = self.toolbox.call_blocking("Write", parameters, &self.toolbox.context().session("s"));
        result.metadata.get("error_kind").cloned().unwrap_or(json!("written"))
    }
}

#[test]
fn whatever_was_read_counts_as_read() {
    let home = Home::new("");
    for name in ["photo.png", "document.pdf", "analysis.ipynb"] {
        assert_eq!(home.write(name), "not_read", "{name}");
        assert!(home.read(name).success, "{name}");
        assert_eq!(home.write(name), "written", "{name}");
    }
}

#[test]
fn a_version_is_that_of_the_file_and_not_of_what_was_made_of_it() {
    let home = Home::new("");
    let image = home.read("wide.png").metadata;
    assert_eq!(image["scaled"], true);
    let file = Version::of(&fs::read(home.path("wide.png")).unwrap());
    assert_eq!(image["version"], file.to_string());
}

#[test]
fn the_user_sets_the_limits() {
    let home = Home::new("[read]\nimage_side = 2\npages = 1\nbudget = 60\n");
    assert_eq!(home.read("photo.png").metadata["width"], 2);
    let pdf = home.read("document.pdf").metadata;
    assert_eq!((&pdf["pages"], &pdf["next_pages"]), (&json!("1"), &json!("2-3")));
    let notebook = home.read("analysis.ipynb").metadata;
    assert_eq!((&notebook["cells"], &notebook["next_cells"]), (&json!("1"), &json!("2-5")));

    let home = Home::new("[read]\nimage_bytes = 80\n");
    let image = home.read("photo.png").metadata;
    assert!(image["size"].as_u64() <= Some(80) && image["original_size"] == 81, "{image:?}");
    for wrong in ["[read]\nimage_side = 0\n", "[read]\npages = -1\n", "[read]\nside = 5\n"] {
        assert!(Config::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_rule_covers_them() {
    let home = Home::new("[[rules]]\nkind = \"read\"\npattern = \"*.{png,pdf,ipynb}\"\naction = \"deny\"\n");
    for name in ["photo.png", "document.pdf", "analysis.ipynb"] {
        let result = home.read(name);
        assert_eq!(result.metadata["error_kind"], "permission_denied", "{name}");
        assert!(!result.metadata.contains_key("base64_data"));
    }
}

#[test]
fn the_record_does_not_keep_the_data_of_images() {
    let home = Home::new("");
    assert!(home.read("photo.png").metadata.contains_key("base64_data"));
    let recorded = &home.toolbox.executions()[0].result;
    assert_eq!(recorded.metadata["is_image"], true);
    assert!(!recorded.metadata.contains_key("base64_data"));
}

#[test]
fn an_image_is_whole_however_small_an_output_may_be() {
    let home = Home::new("");
    let expected = home.read("photo.png").metadata["base64_data"].clone();
    for dialect in [Dialect::Standard, Dialect::Ekacode] {
        let toolbox = Toolbox::builder().root(home.dir.path()).dialect(dialect).open().unwrap();
        let (name, parameter) =
            if dialect == Dialect::Standard { ("Read", "file_path") } else { ("read", "filePath") };
        let context = toolbox.context().max_output_size(20);
        let result = toolbox.call_blocking(name, json!({parameter: home.path("photo.png")}), &context);
        assert_eq!(result.metadata["base64_data"], expected);
    }
}
