//! The documentation as a site, in `target/site`.
//!
//! mdBook takes docs/ as it is, except for three things: the list of pages is made from docs/README.md, links to files outside
//! docs/ go to the repository, and those to the README.md of a folder to the index.html that becomes of it.

use std::fs;
use std::path::Path;

use super::artefacts::{copy, scratch, text, unusable, write};
use crate::job::{Failure, Outcome};
use crate::metadata::Metadata;
use crate::shell::{need_program_from_cargo, program, root, run};
use crate::stages::contents::summary;

const REPOSITORY: &str = "https://github.com/toolcrib/toolcrib/blob/main";

/// Builds the site.
pub(super) fn build() -> Outcome {
    need_program_from_cargo("mdbook", "mdbook")?;
    let book = scratch("book")?;
    copy_pages(&root().join("docs"), &book.join("docs"), 1)?;
    write(&book.join("docs/SUMMARY.md"), &summary(&text(&root().join("docs/README.md"))?))?;
    copy(&root().join("book.toml"), &book.join("book.toml"))?;
    let site = Metadata::load()?.target.join("site");
    run(program("mdbook").arg("build").arg(&book).arg("--dest-dir").arg(&site))?;
    broken(&site)
}

/// Copies a folder of pages that is `depth` folders below the top.
fn copy_pages(from: &Path, to: &Path, depth: usize) -> Outcome {
    for entry in fs::read_dir(from).map_err(|error| unusable(from, &error))?.filter_map(Result::ok) {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_pages(&path, &target, depth + 1)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            write(&target, &linked(&text(&path)?, depth))?;
        } else {
            copy(&path, &target)?;
        }
    }
    Ok(())
}

/// The text of a page with links as the site needs them.
fn linked(page: &str, depth: usize) -> String {
    let outside = "../".repeat(depth);
    let mut parts = page.split("](");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let link = part.split(')').next().unwrap_or_default();
        let target = match link.strip_prefix(&outside) {
            Some(path) => format!("{REPOSITORY}/{path}"),
            None if link.contains(':') => link.to_owned(),
            None => link.replace("README.md", "index.md"),
        };
        text.push_str(&format!("]({target}{}", &part[link.len()..]));
    }
    text
}

/// Every link and every picture of the site leads to a file of it.
fn broken(site: &Path) -> Outcome {
    let mut faults = Vec::new();
    let mut pages = vec![site.to_owned()];
    let mut looked_at = 0;
    while let Some(path) = pages.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).map_err(|error| unusable(&path, &error))?;
            pages.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
        } else if path.extension().is_some_and(|extension| extension == "html") && !path.ends_with("404.html")
        {
            looked_at += 1;
            let folder = path.parent().unwrap_or(site);
            let html = text(&path)?;
            let named = ["href=\"", "src=\""].into_iter().flat_map(|name| html.split(name).skip(1));
            let links = named.filter_map(|rest| rest.split(['"', '#', '?']).next());
            let gone =
                links.filter(|link| !link.is_empty() && !link.contains(':') && !folder.join(link).exists());
            faults.extend(gone.map(|link| format!("{} links to {link}, which is not there", path.display())));
        }
    }
    println!("{looked_at} pages in {}", site.display());
    match faults.is_empty() && looked_at > 20 {
        true => Ok(()),
        false => Err(Failure::Faults(format!("{looked_at} pages\n{}", faults.join("\n")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_links_that_leave_the_folder_or_name_a_readme_are_changed() {
        let page = "[a](../README.md) [b](b.md) [c](../../x)";
        assert_eq!(linked(page, 1), format!("[a]({REPOSITORY}/README.md) [b](b.md) [c]({REPOSITORY}/../x)"));
        assert_eq!(linked("[b](../b.md) [c](../../x)", 2), format!("[b](../b.md) [c]({REPOSITORY}/x)"));
        assert_eq!(linked("[a](b/README.md#c) (README.md", 1), "[a](b/index.md#c) (README.md");
        assert_eq!(linked("[a](https://b/README.md)", 1), "[a](https://b/README.md)");
    }
}
