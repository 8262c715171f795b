//! The approvals desk: what needs a person's answer, and what is running, for every process of the user that shows it.
//!
//! A process that carries out calls has a [`Desk`]. Others of the same user connect to it through a socket in the state folder
//! ([`Desks`]), are told what happens, and may answer or stop a call. A question is put to all of them and to whoever the process
//! itself can ask ([`AtDesk`]); the first answer counts, and the others are told.
//!
//! It must not know how anybody is shown anything, nor any tool in particular.

mod approver;
mod desk;
mod desks;
mod facts;
mod listening;
mod wire;

pub use approver::{AtDesk, Patience, wait};
pub use desk::{Began, Desk};
pub use desks::Desks;
pub use facts::{
    Answer, By, DeskError, Event, Failure, Question, QuestionFile, RunningCall, ServerInfo, Verdict,
    WholeFile, WholeQuestion,
};
pub use listening::{Accepting, FOLDER, Listening};
