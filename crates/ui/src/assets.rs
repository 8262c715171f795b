//! The front end, as it is built from `crates/ui/web` and committed: part of the program, so that a page needs no other file.

/// The files below `crates/ui/assets`. A test compares the list with the folder.
macro_rules! embed {
    ($($name:literal),* $(,)?) => {
        const FILES: &[(&str, &[u8])] = &[$(($name, include_bytes!(concat!("../assets/", $name)))),*];
    };
}

embed!["assets/grammars.js", "assets/icon.svg", "assets/index.css", "assets/index.js", "index.html"];

/// A file by the path of its address, and its type.
pub(crate) fn find(path: &str) -> Option<(&'static str, &'static [u8])> {
    let name = match path {
        "/" => "index.html",
        // The page is shown at `/` alone.
        _ => path.strip_prefix('/').filter(|name| *name != "index.html")?,
    };
    let (name, content) = FILES.iter().find(|(known, _)| *known == name)?;
    Some((kind(name), content))
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "json" | "webmanifest" => "application/json; charset=utf-8",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the folder of this package, not a file of the user's")]
mod tests {
    use std::path::Path;

    use super::*;

    fn below(folder: &Path, prefix: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().into_string().unwrap());
            match entry.file_type().unwrap().is_dir() {
                true => below(&entry.path(), &format!("{name}/"), found),
                false => found.push(name),
            }
        }
    }

    #[test]
    fn every_file_of_the_folder_is_embedded() {
        let mut found = Vec::new();
        below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets"), "", &mut found);
        found.sort();
        let mut embedded: Vec<_> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        embedded.sort();
        assert_eq!(embedded, found, "add the file to `embed!` above, or remove it");
        assert!(FILES.iter().all(|(name, _)| kind(name) != "application/octet-stream"), "a type is missing");
    }

    #[test]
    fn no_path_leads_elsewhere() {
        assert!(find("/").is_some());
        for path in [
            "",
            "//",
            "/index.html",
            "/../Cargo.toml",
            "/assets/../index.html",
            "/assets",
            "/assets/",
            "/%2e%2e/x",
        ] {
            assert!(find(path).is_none(), "{path}");
        }
    }
}
