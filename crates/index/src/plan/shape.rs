//! What is known about the matches of a part of a pattern, from which a plan is made.
//!
//! The parts of a pattern are looked at from the inside out. As long as they match only a few texts, these are listed. Else the
//! texts that matches begin and end with are kept, because a gram may span two parts, and the grams in between are required.

use std::str;

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::words::Words;
use super::{LARGEST, Plan};
use crate::gram::fold;

/// A class of more characters is not listed.
const MOST_LISTED: usize = 64;

/// Of a class with more than this, as texts that differ, any text is assumed. A gram from each of a larger one would be in most
/// texts.
const MOST_MEMBERS: usize = 16;

/// A part that is repeated more often is taken to be repeated so often at least.
const REPEATS: u32 = 4;

/// What is known about the matches of a part of a pattern.
pub(super) struct Shape {
    ends: Ends,
    needs: Needs,
}

/// What the matches of a part begin and end with.
#[derive(Clone)]
enum Ends {
    /// All that they can be.
    Exact(Words),
    /// Each match begins with one of the heads and ends with one of the tails; the two may overlap. What the tails have in
    /// them is not yet required.
    Open { heads: Words, tails: Words },
}

/// Plans that must all be satisfied.
#[derive(Default)]
struct Needs {
    plans: Vec<Plan>,
    nodes: usize,
}

impl Shape {
    /// What is known about a part.
    pub(super) fn of(hir: &Hir) -> Self {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Self::exact(Words::unknown()),
            HirKind::Literal(literal) => Self::literal(&literal.0),
            HirKind::Class(class) => Self::class(class),
            HirKind::Repetition(repetition) => Self::repetition(repetition),
            HirKind::Capture(capture) => Self::of(&capture.sub),
            HirKind::Concat(parts) => {
                parts.iter().map(Self::of).fold(Self::exact(Words::unknown()), Self::then)
            }
            HirKind::Alternation(parts) => Self::alternation(parts.iter().map(Self::of).collect()),
        }
    }

    /// What a text must have in which the part matches.
    pub(super) fn into_plan(self) -> Plan {
        self.opened().needs.into_plan()
    }

    fn exact(words: Words) -> Self {
        Self { ends: Ends::Exact(words), needs: Needs::default() }
    }

    /// A part that may match any text.
    fn anything() -> Self {
        let ends = Ends::Open { heads: Words::unknown(), tails: Words::unknown() };
        Self { ends, needs: Needs::default() }
    }

    /// Text that is not UTF-8 can match within a character, which may be folded. Only its ASCII characters are of use.
    fn literal(bytes: &[u8]) -> Self {
        if str::from_utf8(bytes).is_ok() {
            return Self::exact(Words::new([fold(bytes)]));
        }
        let runs = bytes.chunk_by(|left, right| left.is_ascii() == right.is_ascii());
        let shapes = runs.map(|run| if run.is_ascii() { Self::literal(run) } else { Self::anything() });
        shapes.fold(Self::exact(Words::unknown()), Self::then)
    }

    fn class(class: &Class) -> Self {
        let members = members(class).map(|members| Words::new(members.iter().map(|text| fold(text))));
        match members {
            Some(words) if words.len() <= MOST_MEMBERS => Self::exact(words),
            _ => Self::anything(),
        }
    }

    fn repetition(repetition: &Repetition) -> Self {
        match (repetition.min, repetition.max) {
            (0, Some(1)) => Self::of(&repetition.sub).optional(),
            (0, _) => Self::anything(),
            (min, max) => {
                let times = min.min(REPEATS);
                let shape = Self::of(&repetition.sub).repeated(times);
                // Of more repetitions, the first ones are at the start and the last ones at the end.
                if max == Some(times) { shape } else { shape.opened() }
            }
        }
    }

    fn optional(self) -> Self {
        match self.ends {
            Ends::Exact(words) => match Words::union([&words, &Words::unknown()]) {
                Some(words) => Self::exact(words),
                None => Self::anything(),
            },
            Ends::Open { .. } => Self::anything(),
        }
    }

    fn repeated(self, times: u32) -> Self {
        let ends = self.ends.clone();
        let again = || Self { ends: ends.clone(), needs: Needs::default() };
        (1..times).fold(self, |shape, _| shape.then(again()))
    }

    /// This part and then the next one.
    fn then(mut self, next: Self) -> Self {
        self.needs.append(next.needs);
        self.ends = match (self.ends, next.ends) {
            (Ends::Exact(left), Ends::Exact(right)) => match left.cross(&right) {
                Some(words) => Ends::Exact(words),
                None => separate(&Ends::Exact(left), &Ends::Exact(right), &mut self.needs),
            },
            (left, right) => match left.tails().cross(right.heads()) {
                Some(bridge) => joined(left, right, bridge, &mut self.needs),
                None => separate(&left, &right, &mut self.needs),
            },
        };
        self
    }

    fn alternation(branches: Vec<Self>) -> Self {
        if let Some(words) = exact_union(&branches) {
            return Self::exact(words);
        }
        let budget = ((LARGEST - 1) / branches.len().max(1)).max(1);
        let (mut plans, mut ends) = (Vec::new(), Vec::new());
        for branch in branches {
            let branch = branch.opened();
            plans.push(branch.needs.into_plan().within(budget));
            ends.push(branch.ends);
        }
        let heads = Words::union(ends.iter().map(Ends::heads)).unwrap_or_else(Words::unknown).starts();
        let tails = Words::union(ends.iter().map(Ends::tails)).unwrap_or_else(Words::unknown).ends();
        let mut needs = Needs::default();
        needs.add(Plan::any(plans).within(LARGEST));
        Self { ends: Ends::Open { heads, tails }, needs }
    }

    /// The same with only what a gram needs to go on at either end; the rest is required.
    fn opened(mut self) -> Self {
        self.needs.require(self.ends.tails());
        let (heads, tails) = (self.ends.heads().starts(), self.ends.tails().ends());
        self.ends = Ends::Open { heads, tails };
        self
    }
}

impl Ends {
    fn heads(&self) -> &Words {
        match self {
            Self::Exact(words) | Self::Open { heads: words, .. } => words,
        }
    }

    fn tails(&self) -> &Words {
        match self {
            Self::Exact(words) | Self::Open { tails: words, .. } => words,
        }
    }

    fn is_exact(&self) -> bool {
        matches!(self, Self::Exact(_))
    }
}

impl Needs {
    /// One of these texts must occur.
    fn require(&mut self, words: &Words) {
        if self.nodes < LARGEST {
            self.add(words.plan());
        }
    }

    /// This plan too must be satisfied. If there are very many, this one may be forgotten.
    fn add(&mut self, plan: Plan) {
        let nodes = self.nodes + plan.nodes();
        if plan != Plan::Everything && nodes <= LARGEST {
            self.plans.push(plan);
            self.nodes = nodes;
        }
    }

    fn append(&mut self, other: Self) {
        other.plans.into_iter().for_each(|plan| self.add(plan));
    }

    fn into_plan(self) -> Plan {
        Plan::all(self.plans).within(LARGEST)
    }
}

/// The ends of two parts in a row, of which at least one is open, with the texts that are where they meet.
fn joined(left: Ends, right: Ends, bridge: Words, needs: &mut Needs) -> Ends {
    if !right.is_exact() {
        needs.require(&bridge);
    }
    let heads = match left {
        Ends::Exact(_) => bridge.starts(),
        Ends::Open { heads, .. } => heads,
    };
    let tails = match right {
        Ends::Exact(_) => bridge,
        Ends::Open { tails, .. } => tails,
    };
    Ends::Open { heads, tails }
}

/// The ends of two parts in a row that have too many texts to combine them.
fn separate(left: &Ends, right: &Ends, needs: &mut Needs) -> Ends {
    needs.require(left.tails());
    if let Some(bridge) = left.tails().ends().cross(&right.heads().starts()) {
        needs.require(&bridge);
    }
    Ends::Open { heads: left.heads().starts(), tails: right.tails().clone() }
}

/// All that the branches can match, if each of them matches only a few texts.
fn exact_union(branches: &[Shape]) -> Option<Words> {
    let words = || Words::union(branches.iter().map(|branch| branch.ends.heads()));
    if branches.iter().all(|branch| branch.ends.is_exact()) { words() } else { None }
}

/// The characters of a class in UTF-8, if there are not many. A byte that is not ASCII may be any part of a character.
fn members(class: &Class) -> Option<Vec<Vec<u8>>> {
    match class {
        Class::Unicode(class) => {
            let count = class.ranges().iter().map(|range| range.len()).sum::<usize>();
            let chars = || class.ranges().iter().flat_map(|range| range.start()..=range.end());
            (count <= MOST_LISTED).then(|| chars().map(|c| c.to_string().into_bytes()).collect())
        }
        Class::Bytes(class) => {
            let count = class.ranges().iter().map(|range| range.len()).sum::<usize>();
            let bytes = || class.ranges().iter().flat_map(|range| range.start()..=range.end());
            (class.is_ascii() && count <= MOST_LISTED).then(|| bytes().map(|byte| vec![byte]).collect())
        }
    }
}
