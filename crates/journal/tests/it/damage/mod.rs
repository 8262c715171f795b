//! A journal of 50 changes, damaged in every way: no record is lost that is intact, no number is given twice, the patch
//! that was killed half way is repaired, and the damage is told.
//!
//! The ordinary run flips some bytes of every part and cuts at some lengths; `cargo xtask soak` flips each byte of every
//! file and cuts at each length: with the head at hand, with a start of the machine in between, and with the head lost.

mod lost;
mod scene;

use std::collections::BTreeSet;
use std::path::Path;

use toolcrib_journal::{Kept, State};

use crate::support::soak;
use scene::{Boot, CHANGES, Frame, HALF_DONE, Scene, Told, of_earlier_boot};

#[test]
fn whichever_byte_of_the_log_is_flipped_only_its_record_is_lost() {
    let scene = Scene::new();
    let log = scene.file("log-000000000001");
    let last = scene.frames.last().unwrap();
    let mut figures = Figures::default();
    let end = last.end;
    let bytes = (0..end).filter(|at| soak() || is_chosen(&scene.frames, *at));
    for (at, boot) in bytes.flat_map(|at| Boot::ALL.map(|boot| (at, boot))) {
        let damaged = flipped(scene.content(&log), at as usize);
        let is_lost = |frame: &Frame| (frame.start..frame.sealed).contains(&at);
        let is_unkept = |frame: &Frame| (frame.sealed..frame.kept).contains(&at);
        let case =
            Case { scene: &scene, file: &log, damaged: Some(&damaged), boot, what: format!("byte {at}") };
        case.check(is_lost, is_unkept, &mut figures);
    }
    figures.print("bytes of the log flipped");
}

#[test]
fn wherever_the_log_is_cut_only_what_was_cut_off_is_lost() {
    let scene = Scene::new();
    let log = scene.file("log-000000000001");
    let end = scene.frames.last().unwrap().end;
    let mut figures = Figures::default();
    let lengths = (0..end).filter(|at| soak() || is_chosen(&scene.frames, *at));
    for (length, boot) in lengths.flat_map(|at| Boot::ALL.map(|boot| (at, boot))) {
        let damaged = &scene.content(&log)[..length as usize];
        let is_lost = |frame: &Frame| frame.sealed > length;
        let is_unkept = |frame: &Frame| frame.kept > length;
        let what = format!("cut to {length}");
        let case = Case { scene: &scene, file: &log, damaged: Some(damaged), boot, what };
        case.check(is_lost, is_unkept, &mut figures);
    }
    figures.print("lengths of the log");
}

/// Everything beside the log: the head, the key, its copy, the numbers, the register.
#[test]
fn whatever_happens_to_another_file_nothing_is_lost() {
    let scene = Scene::new();
    let mut figures = Figures::default();
    let others = scene.files().into_iter().filter(|file| !file.to_string_lossy().contains("log-"));
    for file in others {
        for boot in [Boot::Same, Boot::Later] {
            let intact = scene.intact(boot, &file).to_vec();
            let is_chosen =
                |at: &usize| soak() || at.is_multiple_of(intact.len() / 20 + 1) || [8, 32, 40].contains(at);
            for at in (0..intact.len()).filter(is_chosen) {
                for damaged in [flipped(&intact, at), intact[..at].to_vec()] {
                    let what = format!("byte {at} of {}", intact.len());
                    let case = Case { scene: &scene, file: &file, damaged: Some(&damaged), boot, what };
                    case.check(|_| false, |_| false, &mut figures);
                }
            }
            let case = Case { scene: &scene, file: &file, damaged: None, boot, what: "gone".to_owned() };
            case.check(|_| false, |_| false, &mut figures);
        }
    }
    figures.print("flips and cuts of other files");
}

/// Which numbers were given is known from the log, from the head, and from a file of its own. Two of them may be lost.
#[test]
fn no_number_is_given_twice_if_only_one_of_three_files_still_tells() {
    let scene = Scene::new();
    let (log, numbers) = (scene.file("log-000000000001"), scene.file("numbers"));
    let half = scene.frames[scene.frames.len() / 2].end as usize;
    for (boot, file, left) in
        [(Boot::HeadLost, &log, half), (Boot::HeadLost, &numbers, 0), (Boot::Later, &log, half)]
    {
        scene.put_back(boot, file, Some(&scene.content(file)[..left]));
        if boot == Boot::Later {
            std::fs::remove_file(scene.state().join(&numbers)).unwrap();
        }
        let number = scene.change(&scene.open(), "more/1");
        assert!(number > CHANGES, "{boot:?}, {}: {number}", file.display());
    }
}

/// Damage that is known already when the machine is started once more.
#[test]
fn no_number_is_given_twice_after_damage_and_two_starts_of_the_machine() {
    let scene = Scene::new();
    let log = scene.file("log-000000000001");
    let last = scene.frames.iter().find(|frame| frame.id == CHANGES).unwrap();
    scene.put_back(Boot::Later, &log, Some(&scene.content(&log)[..last.start as usize]));
    drop(scene.open());
    let head = scene.state().join(scene.file("head"));
    std::fs::write(&head, of_earlier_boot(std::fs::read(&head).unwrap())).unwrap();
    let number = scene.change(&scene.open(), "more/1");
    assert!(number > CHANGES, "{number}");
}

struct Case<'s> {
    scene: &'s Scene,
    file: &'s Path,
    /// None if it is gone.
    damaged: Option<&'s [u8]>,
    boot: Boot,
    what: String,
}

impl Case<'_> {
    fn check(
        &self,
        is_lost: impl Fn(&Frame) -> bool,
        is_unkept: impl Fn(&Frame) -> bool,
        figures: &mut Figures,
    ) {
        let Self { scene, file, damaged, boot, what } = self;
        let case = format!("{}: {what}, {boot:?}", file.display());
        scene.put_back(*boot, file, *damaged);
        let journal = scene.open();
        scene.assert_repaired(&case);

        let found: Vec<Told> = journal.changes().unwrap().map(|change| Told::of(&change.unwrap())).collect();
        let lost: Vec<&Frame> = scene.frames.iter().filter(|frame| is_lost(frame)).collect();
        let unkept: Vec<&Frame> = scene.frames.iter().filter(|frame| is_unkept(frame)).collect();
        check_records(scene, &found, &lost, &unkept, &case);
        if !lost.is_empty() {
            assert_ne!(journal.damage().unwrap(), [], "{case}: who reads the log is told");
        }

        let mut numbers: BTreeSet<u64> = (1..=CHANGES).collect();
        assert!(numbers.insert(scene.change(&journal, "more/1")), "{case}: a number is given twice");
        let scrub = journal.scrub().unwrap();
        let is_told = !scrub.damage.is_empty() || !scrub.repaired.is_empty();
        let is_same = !unkept.is_empty() && found == scene.records;
        assert!(is_told || is_same || !self.matters(), "{case}: {scrub:?}");
        figures.same += usize::from(is_same);
        assert!(scrub.unrepaired.is_empty(), "{case}: {scrub:?}");

        drop(journal);
        let journal = scene.open();
        assert!(numbers.insert(scene.change(&journal, "more/2")), "{case}: a number is given twice");
        scene.assert_repaired(&case);
        let again: Vec<Told> = journal.changes().unwrap().map(|change| Told::of(&change.unwrap())).collect();
        assert_eq!(again[2..], found[..], "{case}: what could be read can be read again");
        figures.cases += 1;
        figures.lost += lost.len();
        figures.told += usize::from(is_told);
    }

    /// Whether the damage has to be told. What the register says is not needed any more once the change is repaired from
    /// the log. And earlier versions wrote the key without a checksum, and no copy: that is made up for without a word.
    fn matters(&self) -> bool {
        let is = |names: &[&str]| names.iter().any(|name| self.file.ends_with(name));
        let as_before = is(&["key.copy"]) && self.damaged.is_none()
            || is(&["key", "key.copy"]) && self.damaged.is_some_and(|damaged| damaged.len() == 32);
        let is_log = self.file.to_string_lossy().contains("log-");
        let is_damaged = self.damaged != Some(self.scene.intact(self.boot, self.file));
        (is_log || is(&["head", "key", "key.copy", "numbers"])) && is_damaged && !as_before
    }
}

/// Every record that is intact is there and says what it said; every other is not there at all.
fn check_records(scene: &Scene, found: &[Told], lost: &[&Frame], unkept: &[&Frame], case: &str) {
    let of = |frames: &[&Frame], id: u64, is_intent: bool| {
        frames.iter().any(|frame| frame.id == id && frame.is_intent == is_intent)
    };
    let mut left = found.iter();
    for told in &scene.records {
        let id = told.record.id.number();
        if of(lost, id, true) {
            continue;
        }
        let same = left.next().unwrap_or_else(|| panic!("{case}: change {id} is not there"));
        assert_eq!(same.record.id.number(), id, "{case}");
        assert_eq!(same.record.files, told.record.files, "{case}: change {id}");
        assert_eq!(same.record.time, told.record.time, "{case}: change {id}");
        // What is compressed can stand there in more than one way. If it gives the same content, it is not damaged.
        let is_damaged = of(unkept, id, true) && same.contents.contains(&Kept::Damaged);
        assert!(is_damaged || same.contents == told.contents, "{case}: change {id}");
        let undone_by = match told.record.state {
            State::Undone(by) => Some(by.number()),
            _ => None,
        };
        let is_known =
            !of(lost, id, false) && undone_by.is_none_or(|by| !of(lost, by, true) && !of(lost, by, false));
        // The outcome of the patch is written by the repair.
        if is_known && id != HALF_DONE {
            assert_eq!(same.record.state, told.record.state, "{case}: change {id}");
        }
    }
    assert!(left.next().is_none(), "{case}: a change that was not recorded");
}

#[derive(Debug, Default)]
struct Figures {
    cases: usize,
    lost: usize,
    told: usize,
    /// Contents that stand there otherwise, and are the same.
    same: usize,
}

impl Figures {
    fn print(&self, what: &str) {
        let Self { cases, lost, told, same } = self;
        eprintln!(
            "{cases} {what}: {lost} damaged records, 0 others lost, 0 numbers twice, {told} told, {same} without effect"
        );
        assert!(*cases > 20 && same * 100 < *cases, "{self:?}");
    }
}

fn flipped(content: &[u8], at: usize) -> Vec<u8> {
    let mut damaged = content.to_vec();
    damaged[at] ^= 1 << (at % 8);
    damaged
}

/// Some bytes of every record, at other places in each; more of the patch that was half done, of the first record and of the
/// last; and those around the ends of a header, of what it says and of the contents.
fn is_chosen(frames: &[Frame], at: u64) -> bool {
    let Some(place) = frames.iter().position(|frame| at < frame.end) else { return false };
    let frame = &frames[place];
    let within = at - frame.start;
    let is_special = frame.id == HALF_DONE || place == 0 || place + 1 == frames.len();
    let ends = [frame.start, frame.start + 104, frame.sealed, frame.kept, frame.end];
    let is_edge = place % 16 == 0 && ends.iter().any(|end| *end == at || *end == at + 1);
    (is_special && within.is_multiple_of(32)) || is_edge || (within + 37 * place as u64).is_multiple_of(311)
}
