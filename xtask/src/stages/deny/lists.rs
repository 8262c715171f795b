//! What we accept and refuse in dependencies, each with its reason where one is not plain.

/// Permissive licences. Copyleft, also the weak kind (MPL), is not among them.
pub(crate) const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Packages that must not come in, also not through others, and what to do instead.
pub(crate) const BANNED: &[(&str, &str)] = &[
    ("atty", "unmaintained: std::io::IsTerminal"),
    ("lazy_static", "std::sync::LazyLock"),
    ("native-tls", "links the system's TLS, so that a build depends on the machine: rustls"),
    ("openssl", "links the system's TLS, so that a build depends on the machine: rustls"),
    ("openssl-sys", "links the system's TLS, so that a build depends on the machine: rustls"),
];

/// Packages that may be there in more than one version, and why we cannot help it.
pub(crate) const DUPLICATES: &[(&str, &str)] = &[
    (
        "convert_case",
        "derive_more (tests only) has 0.10, napi-derive 0.12; costs build time, is not in the program",
    ),
    ("getrandom", "jsonschema (tests only) has 0.3, tempfile 0.4"),
    ("miniz_oxide", "png 0.18 asks for 0.8, flate2 for 0.9; small, and both inflate"),
    ("r-efi", "comes with both versions of getrandom, for UEFI only"),
    ("syn", "derive macros are moving from 2 to 3; costs build time, is not in the program"),
];
