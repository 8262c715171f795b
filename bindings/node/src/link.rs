//! The way back to JavaScript: one function for each thread of JavaScript, which gets every message to it.
//!
//! A message has a kind, the number of the work that it belongs to, and a text. The number is the caller's. A question (of an approver,
//! or to a tool of JavaScript) has a number of its own beside it, under which [`Link::answer`] brings the answer to the thread that
//! waits for it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use napi::bindgen_prelude::{FnArgs, Function, Uint8Array};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Result, Status};
use napi_derive::napi;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use toolcrib::ApprovalRequest;

use crate::approver::Review;
use crate::ready::{Awaited, Late};
use crate::supervise::runtime;

/// What a message is about. The TypeScript half has the same list.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// The work is done; the text is its answer.
    Done = 0,
    /// An approver is asked; the text is the request.
    Ask = 1,
    /// A tool of JavaScript is to run; the text is the call.
    Run = 2,
    /// Nothing waits for the answer to a question any more.
    Withdrawn = 3,
}

/// Kind, number of the work, number of the question, text, bytes.
type Message = FnArgs<(u32, u32, u32, String, Vec<Uint8Array>)>;
type Deliver = ThreadsafeFunction<Message, (), Message, Status, false, true>;

/// One thread of JavaScript.
#[napi]
pub struct Link(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    deliver: Deliver,
    /// The tools that are not waited for.
    pub(crate) late: Late,
    works: Mutex<HashMap<u32, Begun>>,
    questions: Mutex<HashMap<u32, Question>>,
    count: AtomicU32,
}

/// Some work that is under way.
struct Begun {
    cancel: CancellationToken,
    awaited: Option<Arc<Awaited>>,
}

/// What waits for an answer of JavaScript.
struct Question {
    request: Option<ApprovalRequest>,
    answer: oneshot::Sender<String>,
}

/// Makes the link of this thread. `deliver` does not keep it alive: the TypeScript half does while there is work.
#[napi]
pub fn connect(
    #[napi(
        ts_arg_type = "(kind: number, work: number, question: number, text: string, bytes: Uint8Array[]) => void"
    )]
    deliver: Function<'_, Message, ()>,
) -> Result<Link> {
    let deliver = deliver.build_threadsafe_function().weak::<true>().build()?;
    Ok(Link(Arc::new(Inner {
        deliver,
        late: Late::default(),
        works: Mutex::default(),
        questions: Mutex::default(),
        count: AtomicU32::new(0),
    })))
}

#[napi]
impl Link {
    /// Cancels work. Its answer comes all the same.
    #[napi]
    pub fn cancel(&self, work: u32) {
        if let Some(begun) = locked(&self.0.works).get(&work) {
            begun.cancel.cancel();
        }
    }

    /// Answers a question.
    #[napi]
    pub fn answer(&self, question: u32, answer: String) {
        if let Some(question) = locked(&self.0.questions).remove(&question) {
            // It may have been withdrawn at this very moment.
            _ = question.answer.send(answer);
        }
    }

    /// The change that a question is about; none if it was withdrawn.
    #[napi]
    pub fn review(&self, question: u32) -> Option<Review> {
        locked(&self.0.questions).get(&question).and_then(|question| question.request.clone()).map(Review)
    }
}

impl Inner {
    /// Work that can be cancelled begins. Its answer is first offered to who waits for it.
    pub(crate) fn begin(&self, work: u32, awaited: Option<Arc<Awaited>>) -> CancellationToken {
        let cancel = CancellationToken::new();
        locked(&self.works).insert(work, Begun { cancel: cancel.clone(), awaited });
        cancel
    }

    /// The answer of some work, the only one.
    pub(crate) fn done(&self, work: u32, text: String, bytes: Vec<Vec<u8>>) {
        let begun = locked(&self.works).remove(&work);
        let text = match begun.and_then(|begun| begun.awaited) {
            Some(awaited) if bytes.is_empty() => match awaited.answer(text) {
                Ok(()) => return,
                Err(text) => text,
            },
            _ => text,
        };
        self.send(Kind::Done, work, 0, text, bytes);
    }

    /// Asks JavaScript, and looks up with `stop` now and then. None if nothing will answer any more.
    pub(crate) fn ask(
        &self,
        kind: Kind,
        work: u32,
        text: String,
        request: Option<ApprovalRequest>,
        stop: impl AsyncFnOnce(),
    ) -> Option<String> {
        let (answer, mut answered) = oneshot::channel();
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        locked(&self.questions).insert(number, Question { request, answer });
        let sent = self.send(kind, work, number, text, Vec::new());
        let answer = runtime().ok().filter(|_| sent == Status::Ok).and_then(|runtime| {
            runtime.block_on(async {
                tokio::select! {
                    answer = &mut answered => answer.ok(),
                    () = stop() => None,
                }
            })
        });
        if answer.is_none() && locked(&self.questions).remove(&number).is_some() {
            self.send(Kind::Withdrawn, work, number, String::new(), Vec::new());
        }
        answer
    }

    /// A thread of JavaScript that has ended gets nothing, and misses nothing.
    fn send(&self, kind: Kind, work: u32, question: u32, text: String, bytes: Vec<Vec<u8>>) -> Status {
        let bytes = bytes.into_iter().map(Uint8Array::new).collect();
        let message = (kind as u32, work, question, text, bytes).into();
        self.deliver.call(message, ThreadsafeFunctionCallMode::NonBlocking)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
