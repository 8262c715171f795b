//! A function of JavaScript as the one who is asked.

use std::sync::Arc;

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;
use toolcrib::{ApprovalRequest, Approver, Decision, PageSize};

use crate::link::{Inner, Kind};

/// What would be changed, for a function of JavaScript to look at. Nothing of it is made before it is asked for.
#[napi]
pub struct Review(pub(crate) ApprovalRequest);

/// A page of a change.
#[napi(object)]
pub struct ReviewPage {
    /// The text.
    pub text: String,
    /// How many pages there are.
    pub of: u32,
}

/// The change of one file.
#[napi(object)]
pub struct PlainChange {
    /// The file; of a move, its target.
    pub path: String,
    /// Of a move, its source.
    pub from: Option<String>,
    /// What it holds now.
    pub before: Option<Uint8Array>,
    /// What it would hold.
    pub after: Option<Uint8Array>,
}

#[napi]
impl Review {
    /// All of it as a unified diff; none where nothing would be changed.
    #[napi]
    pub fn diff(&self) -> Option<String> {
        self.0.diff()
    }

    /// A page of it for a person, from 1.
    #[napi]
    pub fn page(&self, number: u32) -> ReviewPage {
        let page = self.0.page(number as usize, PageSize::default());
        ReviewPage { text: page.text, of: u32::try_from(page.of).unwrap_or(u32::MAX) }
    }

    /// The bytes of each file before and after.
    #[napi]
    pub fn changes(&self) -> Vec<PlainChange> {
        let bytes = |bytes: &Option<Arc<[u8]>>| bytes.as_deref().map(Uint8Array::with_data_copied);
        let changes = self.0.changes.iter().map(|change| PlainChange {
            path: change.path.clone(),
            from: change.from.clone(),
            before: bytes(&change.before),
            after: bytes(&change.after),
        });
        changes.collect()
    }
}

/// Asks the approver of some work.
pub(crate) struct Asked {
    pub(crate) link: Arc<Inner>,
    pub(crate) work: u32,
}

/// What the TypeScript half answers.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Once,
    Always,
    No(Option<String>),
    /// The approver failed.
    Unavailable(String),
}

impl Approver for Asked {
    fn ask(&self, request: &ApprovalRequest, cancelled: &CancellationToken) -> Decision {
        let fields = serde_json::to_string(request).unwrap_or_default();
        let until_cancelled = async || cancelled.cancelled().await;
        let answer = self.link.ask(Kind::Ask, self.work, fields, Some(request.clone()), until_cancelled);
        let Some(answer) = answer else {
            let gone =
                if cancelled.is_cancelled() { "the call was cancelled" } else { "its thread has ended" };
            return Decision::Unavailable(gone.to_owned());
        };
        match serde_json::from_str(&answer) {
            Ok(Answer::Once) => Decision::Once,
            Ok(Answer::Always) => Decision::Always,
            Ok(Answer::No(reason)) => Decision::No(reason),
            Ok(Answer::Unavailable(reason)) => Decision::Unavailable(reason),
            Err(error) => Decision::Unavailable(format!("the approver gave no answer: {error}")),
        }
    }
}
