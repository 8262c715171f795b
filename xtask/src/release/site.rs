//! The documentation as a site, in `target/site`.
//!
//! mdBook takes docs/ as it is, except for two things: the list of pages is made from docs/README.md, and links to files outside
//! docs/ go to the repository.

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
            write(&target, &outward(&text(&path)?, depth))?;
        } else {
            copy(&path, &target)?;
        }
    }
    Ok(())
}

/// The text with links that leave docs/ pointing to the repository.
fn outward(page: &str, depth: usize) -> String {
    page.replace(&format!("]({}", "../".repeat(depth)), &format!("]({REPOSITORY}/"))
}

/// Every link between the pages of the site leads to a file of it.
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
            let links = html.split("href=\"").skip(1).filter_map(|rest| rest.split(['"', '#']).next());
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
    fn only_links_that_leave_the_folder_are_changed() {
        let page = "[a](../README.md) [b](b.md) [c](../../x)";
        assert_eq!(outward(page, 1), format!("[a]({REPOSITORY}/README.md) [b](b.md) [c]({REPOSITORY}/../x)"));
        assert_eq!(outward("[b](../b.md) [c](../../x)", 2), format!("[b](../b.md) [c]({REPOSITORY}/x)"));
    }
}
