//! The map of the project as data: which crate may use which, and which foreign crates stay behind a fence.
//!
//! The picture of it is in docs/architecture.md. A new crate is one entry in [`CRATES`].

/// One of our packages.
pub(crate) struct Crate {
    pub(crate) name: &'static str,
    /// Those of our packages it may depend on. Tests, examples and benchmarks may use any.
    pub(crate) may_use: &'static [&'static str],
    /// What is kept away from it, for the message.
    pub(crate) must_not_know: &'static str,
}

pub(crate) const CRATES: &[Crate] = &[
    Crate { name: "toolcrib-text", may_use: &[], must_not_know: "files" },
    Crate { name: "toolcrib-edit", may_use: &["toolcrib-text"], must_not_know: "files, permissions or JSON" },
    Crate {
        name: "toolcrib-patch",
        may_use: &["toolcrib-edit", "toolcrib-text"],
        must_not_know: "files, permissions or JSON",
    },
    Crate {
        name: "toolcrib-formats",
        may_use: &["toolcrib-text"],
        must_not_know: "files, paths, tools or how an answer is shown",
    },
    Crate {
        name: "toolcrib-workspace",
        may_use: &["toolcrib-text"],
        must_not_know: "tools or what the bytes mean",
    },
    Crate {
        name: "toolcrib-index",
        may_use: &["toolcrib-workspace", "toolcrib-text"],
        must_not_know: "tools, queries or answers",
    },
    Crate {
        name: "toolcrib-search",
        may_use: &["toolcrib-index", "toolcrib-workspace", "toolcrib-text"],
        must_not_know: "tools or JSON",
    },
    Crate {
        name: "toolcrib-journal",
        may_use: &["toolcrib-workspace", "toolcrib-edit", "toolcrib-text"],
        must_not_know: "tools",
    },
    Crate {
        name: "toolcrib-tool",
        may_use: &["toolcrib-text"],
        must_not_know: "the disk, the journal or any tool in particular",
    },
    Crate {
        name: "toolcrib-access",
        may_use: &[
            "toolcrib-tool",
            "toolcrib-workspace",
            "toolcrib-journal",
            "toolcrib-search",
            "toolcrib-edit",
            "toolcrib-text",
        ],
        must_not_know: "any tool in particular",
    },
    Crate {
        name: "toolcrib-desk",
        may_use: &["toolcrib-access", "toolcrib-tool", "toolcrib-workspace"],
        must_not_know: "any tool in particular or how anybody is shown anything",
    },
    Crate {
        name: "toolcrib-files",
        may_use: &[
            "toolcrib-access",
            "toolcrib-tool",
            "toolcrib-search",
            "toolcrib-patch",
            "toolcrib-edit",
            "toolcrib-formats",
            "toolcrib-text",
            "toolcrib-workspace",
        ],
        must_not_know: "JSON or how an agent speaks",
    },
    Crate {
        name: "toolcrib-dialects",
        may_use: &["toolcrib-files", "toolcrib-access", "toolcrib-tool"],
        must_not_know: "the disk",
    },
    Crate { name: "toolcrib", may_use: BELOW_THE_DOORS, must_not_know: "the doors" },
    Crate { name: "toolcrib-loopback", may_use: &[], must_not_know: "what is served" },
    Crate {
        name: "toolcrib-mcp",
        may_use: &["toolcrib", "toolcrib-loopback"],
        must_not_know: "what lies behind the facade",
    },
    Crate {
        name: "toolcrib-ui",
        may_use: &["toolcrib", "toolcrib-loopback"],
        must_not_know: "what lies behind the facade",
    },
    Crate {
        name: "toolcrib-cli",
        may_use: &["toolcrib", "toolcrib-mcp", "toolcrib-ui"],
        must_not_know: "what lies behind the facade",
    },
    Crate {
        name: "toolcrib-python",
        // The package brings the command too.
        may_use: &["toolcrib", "toolcrib-cli"],
        must_not_know: "what lies behind the facade",
    },
    Crate { name: "toolcrib-node", may_use: &["toolcrib"], must_not_know: "what lies behind the facade" },
    // In no crate's list: what helps tests is a dev-dependency or nothing.
    Crate { name: "toolcrib-testkit", may_use: BELOW_THE_DOORS, must_not_know: "the doors" },
    Crate { name: "xtask", may_use: &[], must_not_know: "the product: it must build when that does not" },
];

const BELOW_THE_DOORS: &[&str] = &[
    "toolcrib-desk",
    "toolcrib-dialects",
    "toolcrib-files",
    "toolcrib-access",
    "toolcrib-tool",
    "toolcrib-journal",
    "toolcrib-search",
    "toolcrib-index",
    "toolcrib-workspace",
    "toolcrib-patch",
    "toolcrib-edit",
    "toolcrib-formats",
    "toolcrib-text",
];

/// A foreign crate, and who may name it. Tests, examples and benchmarks may name any.
pub(crate) struct Fence {
    /// A name, or with `*` at the end all names that start so.
    pub(crate) foreign: &'static str,
    pub(crate) open_to: OpenTo,
}

pub(crate) enum OpenTo {
    Only(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

pub(crate) const FENCES: &[Fence] = &[
    Fence { foreign: "rmcp*", open_to: OpenTo::Only(&["toolcrib-mcp"]) },
    Fence { foreign: "clap*", open_to: OpenTo::Only(&["toolcrib-cli"]) },
    Fence { foreign: "jsonc-parser", open_to: OpenTo::Only(&["toolcrib-cli"]) },
    Fence { foreign: "toml_edit", open_to: OpenTo::Only(&["toolcrib-cli", "toolcrib-ui"]) },
    Fence { foreign: "hyper*", open_to: OpenTo::Only(&["toolcrib-loopback", "toolcrib-mcp", "toolcrib-ui"]) },
    Fence { foreign: "napi*", open_to: OpenTo::Only(&["toolcrib-node"]) },
    Fence { foreign: "pyo3*", open_to: OpenTo::Only(&["toolcrib-python"]) },
    Fence { foreign: "libc", open_to: OpenTo::Only(&["toolcrib-workspace"]) },
    Fence { foreign: "rustix", open_to: OpenTo::Only(&["toolcrib-workspace", "toolcrib-testkit"]) },
    Fence { foreign: "globset", open_to: OpenTo::Only(&["toolcrib-search"]) },
    Fence { foreign: "ignore", open_to: OpenTo::Only(&["toolcrib-index", "toolcrib-search"]) },
    Fence { foreign: "grep", open_to: OpenTo::Only(&["toolcrib-search"]) },
    Fence { foreign: "grep-*", open_to: OpenTo::Only(&["toolcrib-search"]) },
    Fence { foreign: "hayro*", open_to: OpenTo::Only(&["toolcrib-formats"]) },
    Fence { foreign: "image", open_to: OpenTo::Only(&["toolcrib-formats", "toolcrib-testkit"]) },
    Fence { foreign: "imagesize", open_to: OpenTo::Only(&["toolcrib-formats"]) },
    Fence { foreign: "fast_image_resize", open_to: OpenTo::Only(&["toolcrib-formats"]) },
    Fence { foreign: "schemars*", open_to: OpenTo::Only(&["toolcrib-tool", "toolcrib-dialects"]) },
    Fence {
        foreign: "serde*",
        open_to: OpenTo::AllBut(&[
            "toolcrib-text",
            "toolcrib-edit",
            "toolcrib-patch",
            "toolcrib-files",
            "toolcrib-workspace",
        ]),
    },
];

/// The one file that may hold `unsafe`.
pub(crate) const UNSAFE: &str = "crates/workspace/src/host/sys.rs";

/// Crates that work on values in memory. They may use [`PURE_FOREIGN`] and no other foreign crate.
pub(crate) const PURE: &[&str] = &["toolcrib-text", "toolcrib-edit", "toolcrib-patch", "toolcrib-formats"];

/// Foreign crates that do no input or output. Read a crate before you add it.
pub(crate) const PURE_FOREIGN: &[&str] = &[
    "aho-corasick",
    "base64",
    "blake3",
    "bstr",
    "chardetng",
    "encoding_rs",
    "fast_image_resize",
    "flate2",
    "foldhash",
    "gix-imara-diff",
    "hayro-cmap",
    "hayro-font",
    "hayro-syntax",
    "image",
    "memchr",
    "serde",
    "serde_json",
    "similar",
    "strsim",
    "thiserror",
    "unicode-normalization",
    "unicode-security",
    "unicode-segmentation",
    "unicode-width",
    "weezl",
];

/// Crates whose sources must not name [`WORLD_MODULES`].
pub(crate) const WITHOUT_WORLD: &[&str] =
    &["toolcrib-text", "toolcrib-edit", "toolcrib-patch", "toolcrib-formats", "toolcrib-dialects"];

/// The modules of `std` that reach the disk, the network and other programs.
pub(crate) const WORLD_MODULES: &[&str] = &["fs", "net", "process"];
