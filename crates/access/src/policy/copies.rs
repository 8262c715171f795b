//! Backups and editor copies: which names a name may be a copy of.
//!
//! A user who keeps `.env` from a model means `.env~`, `.env.bak`, `#.env#`, `.env.swp` and `.env (1)` too. What people
//! and programs add to a name when they copy a file is taken off here, whatever the file is; no product is listed.

/// How often something is taken off: `.env.bak.2024-01-01~` has five additions.
const MOST_ADDITIONS: usize = 6;
/// How many originals one name may have.
const MOST_ORIGINALS: usize = 24;

/// The names that this one may be a copy of, none for nearly all. The name is folded.
pub(super) fn originals(name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    take_off(name, &mut found);
    let mut looked_at = 0;
    for _ in 1..MOST_ADDITIONS {
        let end = found.len();
        if looked_at == end || end > MOST_ORIGINALS {
            break;
        }
        for index in looked_at..end {
            let name = found[index].clone();
            take_off(&name, &mut found);
        }
        looked_at = end;
    }
    found
}

/// Takes one addition off.
fn take_off(name: &str, found: &mut Vec<String>) {
    let mut add = |original: String| {
        if !original.is_empty() && original != name && !found.contains(&original) {
            found.push(original);
        }
    };
    if let Some(original) = without_start(name) {
        add(original.to_owned());
    }
    if let Some(original) = without_end(name) {
        // Vim puts a dot before the name of a swap file, unless there is one.
        if let Some(undotted) = original.strip_prefix('.').filter(|_| is_swap(name)) {
            add(undotted.to_owned());
        }
        add(original.to_owned());
    }
    // `credentials (1).json`
    let dot = name.bytes().rposition(|byte| byte == b'.').filter(|dot| *dot > 0);
    if let Some((stem, extension)) = dot.map(|dot| name.split_at(dot))
        && let Some(original) = without_end(stem)
    {
        add([original, extension].concat());
    }
}

fn without_start(name: &str) -> Option<&str> {
    match name.as_bytes().first()? {
        b'#' => return name[1..].strip_suffix('#'),
        b'.' => return name.strip_prefix(".#"),
        b'b' | b'c' | b'o' => {}
        _ => return None,
    }
    let rest = ["copy", "backup", "bak", "old", "orig"].iter().find_map(|start| name.strip_prefix(start))?;
    let original = without_separator(rest)?;
    Some(original.strip_prefix("of").and_then(without_separator).unwrap_or(original))
}

/// What follows a separator; the dot of a hidden file is none.
fn without_separator(rest: &str) -> Option<&str> {
    let after = rest.trim_start_matches([' ', '-', '_']);
    if after.len() < rest.len() { Some(after) } else { rest.strip_prefix('.') }
}

const SEPARATORS: [char; 4] = ['.', '-', '_', ' '];

fn without_end(name: &str) -> Option<&str> {
    let original = match name.as_bytes().last()? {
        b'~' => &name[..name.len() - 1],
        b')' => &name[..name.rfind('(')?],
        b'0'..=b'9' => name.trim_end_matches(|c: char| c.is_ascii_digit()),
        b'_' => name.trim_end_matches('_'),
        _ => &name[..addition(name)?],
    };
    Some(original.trim_end_matches(SEPARATORS)).filter(|original| !original.is_empty())
}

/// Where a word begins, with its separator, that says that this is not the file in use.
fn addition(name: &str) -> Option<usize> {
    const LONGEST: usize = 8;
    let near = name.len().saturating_sub(LONGEST + 1);
    let is_separator = |byte: u8| matches!(byte, b'.' | b'-' | b'_' | b' ');
    let separator = near + name.as_bytes()[near..].iter().rposition(|byte| is_separator(*byte))?;
    let is_addition = match &name.as_bytes()[separator + 1..] {
        b"bak" | b"bck" | b"bkp" | b"old" | b"new" | b"tmp" | b"rej" | b"off" | b"ucf" => true,
        b"back" | b"orig" | b"copy" | b"save" | b"prev" | b"temp" | b"dpkg" | b"kate" | b"jb" | b"saved" => {
            true
        }
        b"backup" | b"original" | b"previous" | b"disabled" => true,
        b"rpmsave" | b"rpmnew" | b"rpmorig" | b"pacsave" | b"pacnew" | b"pacorig" => true,
        // Vim's swap files, and the letters before it for further ones.
        [b's', b'w', last] => last.is_ascii_lowercase(),
        _ => false,
    };
    is_addition.then_some(separator)
}

fn is_swap(name: &str) -> bool {
    matches!(name.as_bytes(), [.., b'.', b's', b'w', last] if last.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::originals;

    #[test]
    fn what_is_added_to_a_copy_is_taken_off() {
        for copy in [
            ".env~",
            ".env.bak",
            ".env.bak~",
            ".env.old",
            ".env.orig",
            ".env.save",
            ".env.save.1",
            ".env.swp",
            ".env.swo",
            "..env.swp",
            "#.env#",
            ".#.env",
            ".env (1)",
            ".env(2)",
            ".env copy",
            ".env - copy",
            ".env - copy (3)",
            "copy of .env",
            "copy-of-.env",
            "backup.env",
            "backup_of_.env",
            "old-.env",
            ".env.~1~",
            ".env.2024-01-31",
            ".env-20240131",
            ".env_backup",
            ".env.bak.20240131",
            ".env.rej",
            ".env.dpkg-old",
            ".env.rpmsave",
            ".env___jb_tmp___",
            ".env.kate-swp",
            ".env1",
            ".env.backup2",
        ] {
            let originals = originals(copy);
            let wanted = if copy == "backup.env" { "env" } else { ".env" };
            assert!(originals.iter().any(|name| name == wanted), "{copy}: {originals:?}");
        }
        for (copy, original) in [
            ("credentials (1).json", "credentials.json"),
            ("logins-backup.json", "logins.json"),
            ("auth.old.json", "auth.json"),
            (".id_rsa.swp", "id_rsa"),
            ("terraform.tfstate.1700000000.backup", "terraform.tfstate"),
            ("server.pem.bak", "server.pem"),
        ] {
            assert!(originals(copy).iter().any(|name| name == original), "{copy}: {:?}", originals(copy));
        }
    }

    #[test]
    fn other_names_are_copies_of_nothing() {
        for name in [
            "main.rs",
            "readme.md",
            "makefile",
            "index.html",
            "a.environment",
            ".gitignore",
            "bold.css",
            "threshold.py",
            "copycat.txt",
            "back.svg",
            "background.png",
            "older.txt",
            "swap.c",
            "()",
            "~",
            "#",
            "##",
            ".#",
            "1",
            "_",
        ] {
            assert_eq!(originals(name), Vec::<String>::new(), "{name}");
        }
    }

    #[test]
    fn a_name_made_of_additions_ends() {
        let long = format!(".env{}", ".bak-1".repeat(40));
        assert!(originals(&long).len() <= 64, "{}", originals(&long).len());
    }
}
