//! HTTP for programs of this machine alone: who is let in, and how connections are bounded.
//!
//! A server on the loopback interface is within reach of every user of the machine and of every web page that a browser
//! shows. So it checks for whom a request is meant ([`OwnNames`]) and what it brings ([`secret`]), before it parses
//! anything. Whoever sends slowly or never reads is dropped ([`serve`]).
//!
//! It must not know what is served.

mod headers;
mod listen;
mod names;
mod peer;
pub mod secret;

pub use headers::{is_json, only};
pub use listen::{Answer, Limits, bind, serve};
pub use names::OwnNames;
pub use peer::is_of_another_user;
