//! The native half of the npm package `toolcrib`: translates between JavaScript and a toolbox, and decides nothing.
//!
//! What people use is written in TypeScript, in `bindings/node/npm/src`. This module is what that stands on, and no face of its own.
//! Values cross as JSON text and bytes as arrays of bytes: one text is quicker than a thousand small values.
//!
//! Nothing works on the thread of JavaScript but the opening of a toolbox and what only looks at memory. Work is started with a number,
//! and its answer comes back under that number through the [`link`]; or at once, if it is there in a moment ([`ready`]).

mod approver;
mod carry;
mod link;
mod options;
mod own_tool;
mod program;
mod ready;
mod supervise;
mod toolbox;

pub use approver::{PlainChange, PlainHunk, Review, ReviewPage};
pub use link::{Link, connect};
pub use program::exec;
pub use toolbox::{CallContext, NativeToolbox, dialects, error_kinds, version};
