//! The page of Toolcrib: what agents change in a workspace, live in a browser, with the means to decide and to undo.
//!
//! A small HTTP server for one person's browser on this machine. Everything it does, it asks the
//! [`Toolbox`](toolcrib::Toolbox) for: the same operations as the command line's. It answers in JSON alone, so that every
//! file name and content stays text. It must not know how a change is made or undone, nor anything of MCP.
//!
//! Start reading at `server.rs`; `gate.rs` decides who is let in, `api` has one file for each part of the page.

mod answer;
mod api;
mod app;
mod assets;
mod diff;
mod gate;
mod live;
mod query;
mod rule_file;
mod server;

pub use app::Reopen;
pub use server::UiServer;
