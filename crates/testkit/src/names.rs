//! Names to try rules on: protected ones in disguise, and ordinary ones.

/// The spellings in which a protected name could be smuggled past: at least 40.
#[must_use]
pub fn spellings(name: &str) -> Vec<String> {
    let (dir, file) = name.rsplit_once('/').map_or(("", name), |(dir, file)| (dir, file));
    let join = |file: String| if dir.is_empty() { file } else { format!("{dir}/{file}") };
    let wide = |text: &str| -> String {
        text.chars()
            .map(|c| char::from_u32(u32::from(c) + 0xFEE0).filter(|_| c.is_ascii_graphic()).unwrap_or(c))
            .collect()
    };
    let mut all: Vec<String> = [
        file.to_owned(),
        file.to_uppercase(),
        file.chars().enumerate().map(|(i, c)| if i % 2 == 0 { c } else { c.to_ascii_uppercase() }).collect(),
        file.chars().enumerate().map(|(i, c)| if i % 2 == 1 { c } else { c.to_ascii_uppercase() }).collect(),
        wide(file),
        wide(&file.to_uppercase()),
        format!("{file}."),
        format!("{file}..."),
        format!("{file} "),
        format!("{file}. . "),
        format!("{file}::$DATA"),
        format!("{file}::$INDEX_ALLOCATION"),
    ]
    .map(join)
    .to_vec();
    for ignored in [
        '\u{200B}',
        '\u{200C}',
        '\u{200D}',
        '\u{200E}',
        '\u{200F}',
        '\u{202A}',
        '\u{202E}',
        '\u{2060}',
        '\u{2061}',
        '\u{206A}',
        '\u{206F}',
        '\u{FEFF}',
        '\u{AD}',
        '\u{34F}',
        '\u{FE0F}',
        '\u{180E}',
        '\u{E0020}',
    ] {
        all.push(join(format!("{}{ignored}{}", &file[..1], &file[1..])));
        all.push(join(format!("{file}{ignored}")));
    }
    if !dir.is_empty() {
        all.push(format!("{}/{file}", dir.to_uppercase()));
        all.push(format!("{dir}./{file}"));
        all.push(format!("{dir} /{file}"));
    }
    all
}

/// Names as they stand in real projects, some of them near to a protected one.
#[must_use]
pub fn ordinary_names() -> Vec<String> {
    let stems = [
        "main",
        "index",
        "README",
        "setup",
        "environment",
        "env",
        "dotenv",
        "git",
        "gitignore",
        "keys",
        "key",
        "keyboard",
        "monkey",
        "pem",
        "secret_sauce",
        "credentials",
        "config",
        "settings",
        "tasks",
        "package",
        "id",
        "rsa",
        "ssh",
        "known_hosts_test",
        "envoy",
        "event",
        "inventory",
        "git_utils",
        "Makefile",
        "test_env",
        "my-env",
        "tokenizer",
        "authorized",
        "netrc_parser",
        "kubeconfig",
        "aws",
        "docker-compose",
        "mcp",
        "résumé",
        "データ",
        "naïve",
        "Straße",
    ];
    let kinds = ["rs", "py", "ts", "md", "json", "toml", "yaml", "txt", "html", "c", "h", "go"];
    let mut names: Vec<String> =
        stems.iter().flat_map(|stem| kinds.iter().map(move |kind| format!("src/{stem}.{kind}"))).collect();
    let meant = ["src/mcp.json", "src/credentials.json", "src/credentials.yaml", "src/kubeconfig.yaml"];
    names.retain(|name| !meant.contains(&name.as_str()));
    names.extend(
        [
            ".env.example",
            ".env.sample",
            ".env.template",
            ".gitignore",
            ".editorconfig",
            ".nvmrc",
            ".prettierrc",
            ".eslintrc.json",
            ".dockerignore",
            "environment.yml",
            "id_rsa.pub",
            "keys/server.pub",
            "src/.keep",
            "envs/dev/main.tf",
            "Cargo.lock",
            "package-lock.json",
            "a b/c d.txt",
            "git/config",
            "hooks/pre-commit",
            "ssh/config",
            "...",
            "x::y",
            "vendor/github.com/x/y.go",
            "gitlab/ci.yml",
            "key",
            "pem",
            "keystore/mod.rs",
            "docs/.vitepress/config.ts",
        ]
        .map(str::to_owned),
    );
    names
}
