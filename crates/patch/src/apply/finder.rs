//! Finds the lines of hunks in the text of one file.
//!
//! Few hunks are looked for one by one. For many, the text is gone over once ([`Index`]), and what has many places is
//! remembered, so that a patch costs about as much as its hunks and the text together.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use toolcrib_edit::{Diagnosis, Index, Level, Places, Scope, Target};
use toolcrib_text::Stopped;

use super::anchor::Anchors;
use crate::patch::{Hunk, Line};

/// From so many hunks on it is worth going over the text once for all of them.
const MANY: usize = 4;
/// Places are remembered if there are more than this, and so many in all.
const WORTH_REMEMBERING: usize = 16;
const REMEMBERED: usize = 500_000;

/// How many hunks that are not found are told what comes closest. One budget is for a whole patch.
#[derive(Debug)]
pub(crate) struct DiagnosisBudget {
    /// How many more hunks are told, and how many bytes of text may be looked at for that.
    hunks: Cell<usize>,
    bytes: Cell<usize>,
}

impl Default for DiagnosisBudget {
    fn default() -> Self {
        Self { hunks: Cell::new(50), bytes: Cell::new(64 << 20) }
    }
}

impl DiagnosisBudget {
    /// Whether one more hunk is told what comes closest to it in a text of so many bytes. The first one always is.
    fn take(&self, bytes: usize) -> bool {
        let first = self.hunks.get() == Self::default().hunks.get();
        let enough = self.hunks.get() > 0 && self.bytes.get() >= bytes;
        self.hunks.set(self.hunks.get().saturating_sub(1));
        self.bytes.set(self.bytes.get().saturating_sub(bytes));
        first || enough
    }
}

pub(super) struct Finder<'a, 't> {
    pub(super) target: &'a Target<'t>,
    pub(super) anchors: Anchors<'a, 't>,
    index: Option<Index<'a>>,
    remembered: RefCell<HashMap<(String, Level), Rc<Places>>>,
    /// How many more places may be remembered.
    room: Cell<usize>,
    diagnoses: &'a DiagnosisBudget,
}

impl<'a, 't> Finder<'a, 't> {
    pub(super) fn new(
        target: &'a Target<'t>,
        hunks: &'a [Hunk],
        diagnoses: &'a DiagnosisBudget,
    ) -> Result<Self, Stopped> {
        let many = hunks.len() >= MANY;
        let lines = || hunks.iter().flat_map(|hunk| &hunk.lines).map(Line::text);
        let index = if many { Some(target.index(lines())?) } else { None };
        Self::with(target, hunks, index, diagnoses)
    }

    pub(super) fn with(
        target: &'a Target<'t>,
        hunks: &'a [Hunk],
        index: Option<Index<'a>>,
        diagnoses: &'a DiagnosisBudget,
    ) -> Result<Self, Stopped> {
        Ok(Self {
            target,
            anchors: Anchors::new(target, hunks)?,
            index,
            remembered: RefCell::default(),
            room: Cell::new(REMEMBERED),
            diagnoses,
        })
    }

    /// All places of `old` at the strictest level that finds any.
    pub(super) fn find(&self, old: &str, scope: Scope, loosest: Level) -> Result<Rc<Places>, Stopped> {
        let Some(index) = self.index.as_ref().filter(|_| scope == Scope::Lines) else {
            return self.target.find(old, scope, loosest).map(Rc::new);
        };
        let key = (old.to_owned(), loosest);
        if let Some(places) = self.remembered.borrow().get(&key) {
            return Ok(Rc::clone(places));
        }
        let places = Rc::new(self.target.find_lines(index, old, loosest)?);
        let count = places.places.len();
        if count > WORTH_REMEMBERING && count <= self.room.get() {
            self.room.set(self.room.get() - count);
            self.remembered.borrow_mut().insert(key, Rc::clone(&places));
        }
        Ok(places)
    }

    /// What comes closest to lines that are not there. After some hunks this is no longer told.
    pub(super) fn diagnose(&self, old: &str) -> Result<Box<Diagnosis>, Stopped> {
        if self.diagnoses.take(self.target.text().len()) {
            Diagnosis::of_old(self.target, old).map(Box::new)
        } else {
            Ok(Box::default())
        }
    }
}
