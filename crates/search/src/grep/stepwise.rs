//! A regular expression that can be stopped at any byte.
//!
//! The engine that searches is many times as fast, but cannot be stopped: for a pattern with thousands of positions a
//! megabyte can take it minutes. This one makes the states of its automaton as it goes, as that one does, and asks between
//! bytes whether to go on. It serves where the engine could take too long: on very long lines, and across lines.

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::{Compiler, Config as NfaConfig, WhichCaptures};
use regex_automata::util::start::Config as Start;
use regex_automata::{Anchored, Input, MatchKind};
use regex_syntax::hir::Hir;
use toolcrib_text::{Meter, Stopped};

use super::query::SIZE_LIMIT;

/// How much memory the states of one direction may take. When it is full, it is emptied.
const STATES: usize = 4 << 20;

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Stepwise {
    forward: DFA,
    reverse: DFA,
    /// What it costs to make a state: each position of the pattern may be looked at more than once.
    making: usize,
}

/// What a byte costs that leads to a state which is there already.
const KNOWN: usize = 4;

/// The states that were made so far.
pub(crate) struct Caches {
    forward: Cache,
    reverse: Cache,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// It was stopped.
    Stopped,
    /// It cannot decide here: at a word's edge beside a character that is not ASCII.
    Undecided,
}

impl From<Stopped> for Trouble {
    fn from(_: Stopped) -> Self {
        Self::Stopped
    }
}

impl Stepwise {
    /// Compiles a pattern that has so many positions. Nothing, if it is too large.
    pub(crate) fn new(hir: &Hir, positions: usize) -> Option<Self> {
        let compile = |reverse: bool| {
            let config = NfaConfig::new()
                .utf8(false)
                .reverse(reverse)
                .which_captures(WhichCaptures::None)
                .nfa_size_limit(Some(SIZE_LIMIT));
            Compiler::new().configure(config).build_from_hir(hir).ok()
        };
        let build = |reverse: bool| {
            let kind = if reverse { MatchKind::All } else { MatchKind::LeftmostFirst };
            let config = Config::new()
                .match_kind(kind)
                .unicode_word_boundary(true)
                .cache_capacity(STATES)
                .skip_cache_capacity_check(true);
            DFA::builder().configure(config).build_from_nfa(compile(reverse)?).ok()
        };
        Some(Self {
            forward: build(false)?,
            reverse: build(true)?,
            making: positions.saturating_mul(32).saturating_add(128),
        })
    }

    pub(crate) fn caches(&self) -> Caches {
        Caches { forward: self.forward.create_cache(), reverse: self.reverse.create_cache() }
    }

    /// Where the first match from an offset on begins and ends.
    pub(crate) fn find(
        &self,
        caches: &mut Caches,
        text: &[u8],
        at: usize,
        meter: &Meter<'_>,
    ) -> Result<Option<(usize, usize)>, Trouble> {
        let Some(end) = self.end(&mut caches.forward, text, at, false, meter)? else { return Ok(None) };
        let start = self.start(&mut caches.reverse, text, at, end, meter)?;
        Ok(Some((start.unwrap_or(end), end)))
    }

    /// Where a match from an offset on ends, as soon as that is known.
    pub(crate) fn shortest(
        &self,
        caches: &mut Caches,
        text: &[u8],
        at: usize,
        meter: &Meter<'_>,
    ) -> Result<Option<usize>, Trouble> {
        self.end(&mut caches.forward, text, at, true, meter)
    }

    fn end(
        &self,
        cache: &mut Cache,
        text: &[u8],
        at: usize,
        earliest: bool,
        meter: &Meter<'_>,
    ) -> Result<Option<usize>, Trouble> {
        let dfa = &self.forward;
        let start = Start::from_input_forward(&Input::new(text).range(at..));
        let mut state = dfa.start_state(cache, &start).map_err(|_| Trouble::Undecided)?;
        let mut found = None;
        for (offset, byte) in text.iter().enumerate().skip(at) {
            state = self.next(dfa, cache, state, *byte, meter)?;
            match judge(state) {
                Step::On => {}
                // A match is seen one byte after its end.
                Step::Match if earliest => return Ok(Some(offset)),
                Step::Match => found = Some(offset),
                Step::Over => return Ok(found),
                Step::Undecided => return Err(Trouble::Undecided),
            }
        }
        let state = dfa.next_eoi_state(cache, state).map_err(|_| Trouble::Undecided)?;
        Ok(if judge(state) == Step::Match { Some(text.len()) } else { found })
    }

    fn start(
        &self,
        cache: &mut Cache,
        text: &[u8],
        at: usize,
        end: usize,
        meter: &Meter<'_>,
    ) -> Result<Option<usize>, Trouble> {
        let dfa = &self.reverse;
        let input = Input::new(text).range(at..end).anchored(Anchored::Yes);
        let start = Start::from_input_reverse(&input);
        let mut state = dfa.start_state(cache, &start).map_err(|_| Trouble::Undecided)?;
        let mut found = None;
        for offset in (at..end).rev() {
            state = self.next(dfa, cache, state, text[offset], meter)?;
            match judge(state) {
                Step::On => {}
                Step::Match => found = Some(offset + 1),
                Step::Over => return Ok(found),
                Step::Undecided => return Err(Trouble::Undecided),
            }
        }
        let state = match at.checked_sub(1) {
            None => dfa.next_eoi_state(cache, state),
            Some(before) => dfa.next_state(cache, state, text[before]),
        };
        let state = state.map_err(|_| Trouble::Undecided)?;
        Ok(if judge(state) == Step::Match { Some(at) } else { found })
    }
}

impl Stepwise {
    /// Takes one byte. Where states are made and dropped again all the time, that takes thousands of times as long as where
    /// they are there, so both are accounted for by what they are.
    fn next(
        &self,
        dfa: &DFA,
        cache: &mut Cache,
        state: LazyStateID,
        byte: u8,
        meter: &Meter<'_>,
    ) -> Result<LazyStateID, Trouble> {
        meter.spend(KNOWN)?;
        if !state.is_tagged() {
            let known = dfa.next_state_untagged(cache, state, byte);
            if !known.is_unknown() {
                return Ok(known);
            }
        }
        meter.spend(self.making)?;
        dfa.next_state(cache, state, byte).map_err(|_| Trouble::Undecided)
    }
}

/// What a state means.
#[derive(PartialEq)]
enum Step {
    On,
    Match,
    Over,
    Undecided,
}

fn judge(state: LazyStateID) -> Step {
    if !state.is_tagged() {
        Step::On
    } else if state.is_match() {
        Step::Match
    } else if state.is_dead() {
        Step::Over
    } else if state.is_quit() {
        Step::Undecided
    } else {
        Step::On
    }
}
