//! The stages of `cargo xtask test`, cheap ones first. A new stage is one function and one line in [`STAGES`].

pub(crate) mod agents;
mod clients;
mod clippy;
mod conformance;
pub(crate) mod contents;
mod deny;
mod docs;
mod examples;
mod features;
mod fmt;
mod frameworks;
mod layers;
pub(crate) mod npm;
pub(crate) mod originals;
mod packages;
mod page;
pub(crate) mod python;
pub(crate) mod reference;
mod sessions;
mod specification;
mod test;
pub(crate) mod wheel;

use crate::job::Job;

pub(crate) const STAGES: &[Job] = &[
    Job::new("fmt", "the code is formatted", fmt::check),
    Job::new("layers", "each crate uses only what the map of the project lets it use", layers::check),
    Job::new("spec", "docs/specification.md names what is there, and every scenario", specification::check),
    Job::new("deny", "licences, sources and versions of all that we depend on", deny::check),
    Job::new("clippy", "no lint warns, in any target", clippy::check),
    Job::new("docs", "the documentation builds without a warning and names only what exists", docs::check),
    Job::new(
        "contents",
        "every page of docs/ is in its table of contents, and words are spelt right",
        contents::check,
    ),
    Job::new("packages", "one version everywhere, and every crate can be packed", packages::check),
    Job::new("test", "unit, integration and documentation tests", test::check),
    Job::new("features", "every scenario of features/ runs and passes", features::check),
    Job::new("examples", "all examples build, and those of `toolcrib` run", examples::check),
    Job::new("reference", "docs/reference is what the program says about itself", reference::check),
    Job::new("sessions", "the terminal sessions of the documentation print what they show", sessions::check),
    Job::new("python", "the built program under real clients from Python (tests/python)", python::check),
    Job::new(
        "wheel",
        "the Python package, built and installed, under its tests (bindings/python)",
        wheel::check,
    ),
    Job::new("npm", "the npm package, packed and installed, under its tests (bindings/node)", npm::check),
    Job::new("clients", "clients of TypeScript, Mastra and LangChain (tests/clients)", clients::check),
    Job::new(
        "page",
        "the page of `toolcrib ui`: built as committed, and in a browser (crates/ui/web)",
        page::check,
    ),
    Job::new("conformance", "the protocol's own test suite against the built server", conformance::check),
    Job::new(
        "originals",
        "dialects beside the programs whose tools they speak (tests/originals)",
        originals::check,
    ),
    Job::new(
        "agents",
        "real agents, driven by a scripted model (tests/agents); only if named",
        agents::check,
    )
    .by_name(),
    Job::new(
        "frameworks",
        "frameworks with their example code, over MCP (tests/agents/frameworks); only if named",
        frameworks::check,
    )
    .by_name(),
];
