//! Undos of any part of any history, with edits by others in between, against a model: every undone hunk is gone, every
//! other byte is as it was, and a refusal leaves all bytes as they were.
//!
//! The files have slots, so far apart that each is a hunk of its own. The model knows what each change has written into
//! which slots, and nothing of lines, diffs or merging.

use std::collections::{BTreeMap, BTreeSet};

use toolcrib_edit::Hunks;
use toolcrib_journal::{Entry, FileHunks, Only, RecordId, Selection, UndoError, UndoKind, Which};
use toolcrib_workspace::Durability;

use crate::support::{Random, World, soak};

const FILES: usize = 3;
const SLOTS: usize = 5;
/// More than a hunk reaches to both sides.
const BETWEEN: usize = 8;

type Slot = (usize, usize);

/// What a record has written into one slot.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Written {
    slot: Slot,
    old: u64,
    new: u64,
    /// It was undone on its own.
    undone: bool,
}

#[derive(Debug, Clone)]
struct Change {
    id: RecordId,
    session: &'static str,
    written: Vec<Written>,
    /// Of an undo, what it has undone.
    reverts: Option<Vec<(usize, Slot)>>,
}

struct Game<'w> {
    world: &'w World,
    random: Random,
    slots: BTreeMap<Slot, u64>,
    changes: Vec<Change>,
    next: u64,
    figures: Figures,
}

#[derive(Debug, Default)]
struct Figures {
    undone: usize,
    refused: usize,
    redone: usize,
    wrong: usize,
}

/// Undoes, in the one way or the other. The second is the control.
type Undo = fn(&World, UndoKind, &Selection) -> Result<(), UndoError>;

fn by_the_journal(world: &World, kind: UndoKind, selection: &Selection) -> Result<(), UndoError> {
    world.journal.reverse(kind, selection, Durability::Fast, &Entry::new("undo")).map(drop)
}

/// Puts back what each file held before, whatever others have changed in it since.
fn without_merging(world: &World, kind: UndoKind, selection: &Selection) -> Result<(), UndoError> {
    let mut held = BTreeMap::new();
    let Which::Changes(ids) = &selection.which else { return by_the_journal(world, kind, selection) };
    for id in ids.iter().collect::<BTreeSet<_>>().into_iter().rev() {
        for (at, file) in world.journal.record(*id)?.unwrap().files.iter().enumerate() {
            held.insert(file.path.clone(), world.journal.difference(*id, at)?.unwrap().before.unwrap());
        }
    }
    by_the_journal(world, kind, selection)?;
    held.into_iter().for_each(|(path, content)| std::fs::write(path, content).unwrap());
    Ok(())
}

#[test]
fn any_part_of_any_history_is_undone_exactly_or_not_at_all() {
    let games = if soak() { 10_000 } else { 60 };
    let figures = play(games, by_the_journal);
    eprintln!("{games} histories: {figures:?}");
    assert_eq!(figures.wrong, 0, "{figures:?}");
    assert!(
        figures.undone > games && figures.refused > games / 4 && figures.redone > games / 4,
        "{figures:?}"
    );
}

#[test]
fn an_undo_that_does_not_merge_is_found_out() {
    let figures = play(30, without_merging);
    eprintln!("the control: {figures:?}");
    assert!(figures.wrong > 10, "{figures:?}");
}

fn play(games: usize, undo: Undo) -> Figures {
    let mut all = Figures::default();
    for seed in 0..games {
        let world = World::new();
        let mut game = Game::new(&world, seed as u64);
        for _ in 0..12 {
            game.turn(undo);
        }
        let Figures { undone, refused, redone, wrong } = game.figures;
        all.undone += undone;
        all.refused += refused;
        all.redone += redone;
        all.wrong += wrong;
    }
    all
}

impl<'w> Game<'w> {
    fn new(world: &'w World, seed: u64) -> Self {
        let mut slots = BTreeMap::new();
        for file in 0..FILES {
            slots.extend((0..SLOTS).map(|slot| ((file, slot), 0)));
        }
        let game = Self {
            world,
            random: Random(seed.wrapping_mul(7919) + 1),
            slots,
            changes: Vec::new(),
            next: 1,
            figures: Figures::default(),
        };
        game.write_all();
        game
    }

    fn content(&self, file: usize, slots: &BTreeMap<Slot, u64>) -> String {
        let mut text = String::new();
        for slot in 0..SLOTS {
            text.push_str(&format!("value {}\n", slots[&(file, slot)]));
            (0..BETWEEN).for_each(|line| text.push_str(&format!("line {slot} {line}\n")));
        }
        text
    }

    fn write_all(&self) {
        (0..FILES).for_each(|file| drop(self.world.file(&name(file), self.content(file, &self.slots))));
    }

    /// Whether the files are as the model says.
    fn agrees(&self) -> bool {
        (0..FILES).all(|file| self.world.read(&name(file)) == self.content(file, &self.slots))
    }

    fn turn(&mut self, undo: Undo) {
        match self.random.below(10) {
            0..=3 => self.change(),
            4 => self.change_by_hand(),
            5..=8 => self.undo_something(undo),
            _ => self.redo_something(undo),
        }
        if !self.agrees() {
            self.figures.wrong += 1;
            // So that one mistake is counted once.
            self.write_all();
        }
    }

    fn some_slots(&mut self) -> BTreeSet<Slot> {
        let count = 1 + self.random.below(4);
        let random = &mut self.random;
        let mut slot = || (random.below(FILES as u64) as usize, random.below(SLOTS as u64) as usize);
        (0..count).map(|_| slot()).collect()
    }

    fn change(&mut self) {
        let session = if self.random.below(2) == 0 { "one" } else { "two" };
        let slots = self.some_slots();
        let files: BTreeSet<usize> = slots.iter().map(|(file, _)| *file).collect();
        let before: BTreeMap<Slot, u64> = self.slots.clone();
        let mut written = Vec::new();
        for slot in slots {
            let new = self.fresh();
            let old = self.slots.insert(slot, new).unwrap();
            written.push(Written { slot, old, new, undone: false });
        }
        let changes = files.iter().map(|file| {
            let (old, new) = (self.content(*file, &before), self.content(*file, &self.slots));
            self.world.update(&name(*file), &old, &new)
        });
        let entry = Entry { session: Some(session), ..Entry::new("test") };
        let id = self.world.commit_as(changes.collect::<Vec<_>>(), &entry).unwrap();
        self.changes.push(Change { id, session, written, reverts: None });
    }

    fn change_by_hand(&mut self) {
        let slot = self.some_slots().into_iter().next().unwrap();
        let fresh = self.fresh();
        self.slots.insert(slot, fresh);
        self.world.file(&name(slot.0), self.content(slot.0, &self.slots));
    }

    fn fresh(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Undoes some changes, a file or some slots of one, or a session.
    fn undo_something(&mut self, undo: Undo) {
        let standing: Vec<usize> = (0..self.changes.len()).filter(|at| self.stands(*at)).collect();
        if standing.is_empty() {
            return;
        }
        let random = &mut self.random;
        let mut pick = || standing[random.below(standing.len() as u64) as usize];
        let (one, other, third) = (pick(), pick(), pick());
        let what = self.random.below(7);
        let (selection, parts) = match what {
            0 | 1 => self.whole(&[one, other, third][..1 + what as usize]),
            2 => self.whole(&[one, other, third]),
            3 => self.one_file(one),
            4 => self.some_hunks(one),
            5 => self.session("one"),
            _ => self.session("two"),
        };
        if parts.is_empty() {
            return;
        }
        let expected = self.expect(&parts);
        let newest = self.world.journal.log(1).unwrap()[0].id;
        match (undo(self.world, UndoKind::Undo, &selection), expected) {
            (Ok(()), Expected::Done(slots)) => {
                self.figures.undone += 1;
                self.note_undo(newest, slots, parts);
            }
            (Err(UndoError::Conflict(_)), Expected::Refused | Expected::Either(_)) => {
                self.figures.refused += 1
            }
            (Ok(()), Expected::Either(slots)) => self.note_undo(newest, slots, parts),
            (result, expected) => {
                eprintln!("{selection:?}: {result:?}, expected {expected:?}");
                self.figures.wrong += 1;
                if result.is_ok() {
                    let slots = self.slots.clone();
                    self.note_undo(newest, slots, parts);
                }
            }
        }
    }

    /// The undo as a change of the model.
    fn note_undo(&mut self, newest: RecordId, slots: BTreeMap<Slot, u64>, parts: Vec<(usize, Slot)>) {
        let id = self.world.journal.log(1).unwrap()[0].id;
        if id == newest {
            return;
        }
        let changed = slots.iter().filter(|(slot, new)| self.slots[slot] != **new);
        let written = changed.map(|(slot, new)| Written {
            slot: *slot,
            old: self.slots[slot],
            new: *new,
            undone: false,
        });
        let written: Vec<Written> = written.collect();
        self.mark(&parts, true);
        self.slots = slots;
        self.changes.push(Change { id, session: "", written, reverts: Some(parts) });
    }

    fn mark(&mut self, parts: &[(usize, Slot)], undone: bool) {
        for (change, slot) in parts {
            let written = &mut self.changes[*change].written;
            written
                .iter_mut()
                .filter(|written| written.slot == *slot)
                .for_each(|written| written.undone = undone);
        }
    }

    /// Redoes an undo that stands.
    fn redo_something(&mut self, undo: Undo) {
        let undos: Vec<usize> = (0..self.changes.len())
            .filter(|at| {
                self.changes[*at].reverts.is_some()
                    && self.changes[*at].written.iter().all(|written| !written.undone)
            })
            .collect();
        let Some(at) = undos.last().copied() else { return };
        let parts: Vec<(usize, Slot)> =
            self.changes[at].written.iter().map(|written| (at, written.slot)).collect();
        let selection = Which::Changes(vec![self.changes[at].id]).into();
        let expected = self.expect(&parts);
        match (undo(self.world, UndoKind::Redo, &selection), expected) {
            (Ok(()), Expected::Done(slots) | Expected::Either(slots)) => {
                self.figures.redone += 1;
                self.mark(&parts, true);
                let reverts = self.changes[at].reverts.take().unwrap_or_default();
                self.mark(&reverts, false);
                self.slots = slots;
            }
            (Err(UndoError::Conflict(_)), Expected::Refused | Expected::Either(_)) => {
                self.figures.refused += 1
            }
            (result, expected) => {
                eprintln!("redo {selection:?}: {result:?}, expected {expected:?}");
                self.figures.wrong += 1;
            }
        }
    }

    /// What the slots hold once these are undone, the newest first.
    fn expect(&self, parts: &[(usize, Slot)]) -> Expected {
        let mut slots = self.slots.clone();
        let mut parts = parts.to_vec();
        parts.sort_unstable_by(|one, other| other.cmp(one));
        let mut either = false;
        for (change, slot) in parts {
            let written = self.changes[change].written.iter().find(|written| written.slot == slot).unwrap();
            let now = slots[&slot];
            // Somebody has put back the same already.
            either |= now == written.old;
            if now != written.new && now != written.old {
                return Expected::Refused;
            }
            slots.insert(slot, written.old);
        }
        if either { Expected::Either(slots) } else { Expected::Done(slots) }
    }

    fn stands(&self, at: usize) -> bool {
        let change = &self.changes[at];
        change.reverts.is_none()
            && !change.session.is_empty()
            && change.written.iter().any(|written| !written.undone)
    }

    fn standing_slots(&self, at: usize) -> Vec<Slot> {
        self.changes[at]
            .written
            .iter()
            .filter(|written| !written.undone)
            .map(|written| written.slot)
            .collect()
    }

    fn whole(&self, changes: &[usize]) -> (Selection, Vec<(usize, Slot)>) {
        let changes: BTreeSet<usize> = changes.iter().copied().collect();
        let ids = changes.iter().map(|at| self.changes[*at].id).collect();
        let parts =
            changes.iter().flat_map(|at| self.standing_slots(*at).into_iter().map(|slot| (*at, slot)));
        (Which::Changes(ids).into(), parts.collect())
    }

    fn session(&self, session: &'static str) -> (Selection, Vec<(usize, Slot)>) {
        let changes: Vec<usize> = (0..self.changes.len())
            .filter(|at| self.changes[*at].session == session && self.stands(*at))
            .collect();
        (Which::Session(session.to_owned()).into(), self.whole(&changes).1)
    }

    fn one_file(&mut self, at: usize) -> (Selection, Vec<(usize, Slot)>) {
        let slots = self.standing_slots(at);
        let file = slots[self.random.below(slots.len() as u64) as usize].0;
        let path = self.world.root().canonicalize().unwrap().join(name(file));
        let selection =
            Selection { which: Which::Changes(vec![self.changes[at].id]), only: Only::File(path) };
        (selection, slots.into_iter().filter(|slot| slot.0 == file).map(|slot| (at, slot)).collect())
    }

    fn some_hunks(&mut self, at: usize) -> (Selection, Vec<(usize, Slot)>) {
        let id = self.changes[at].id;
        let mut parts = Vec::new();
        let mut chosen: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let record = self.world.journal.record(id).unwrap().unwrap();
        for slot in self.standing_slots(at) {
            if !parts.is_empty() && self.random.below(2) == 0 {
                continue;
            }
            let file = record.files.iter().position(|file| file.path.ends_with(name(slot.0))).unwrap();
            let kept = self.world.journal.difference(id, file).unwrap().unwrap();
            let (before, after) = (kept.before.unwrap(), kept.after.unwrap());
            let line = slot.1 * (BETWEEN + 1);
            let hunks = Hunks::between(&before, &after);
            let hunk = hunks.as_slice().iter().find(|hunk| hunk.old.contains(&line)).unwrap();
            chosen.entry(file).or_default().push(hunk.id.clone());
            parts.push((at, slot));
        }
        let hunks = chosen.into_iter().map(|(file, hunks)| FileHunks { file, hunks }).collect();
        (Selection { which: Which::Changes(vec![id]), only: Only::Hunks(hunks) }, parts)
    }
}

/// What the model says of an undo.
#[derive(Debug)]
enum Expected {
    Done(BTreeMap<Slot, u64>),
    Refused,
    /// Some of it was put back by others already: that may count as done, or as a conflict.
    Either(BTreeMap<Slot, u64>),
}

fn name(file: usize) -> String {
    format!("file-{file}")
}
