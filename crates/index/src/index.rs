//! An index of one root: when it is made, when it may be used, and the thread that keeps it.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use toolcrib_workspace::{Dir, MountTable, Reporting, Stat, yield_to_others};

use crate::events::Events;
use crate::pending::{LeaveOut, Lost};
use crate::plan::Plan;
use crate::rules::{Excludes, Rules};
use crate::segment::Segment;
use crate::state::{MayRead, State};
use crate::store::{Earlier, Store, in_memory};
use crate::tree::{EntryId, Tree};

/// What an index is bound to, and where it is kept.
#[derive(Clone, Debug)]
pub struct Options {
    /// A folder for what is kept between two runs; none keeps nothing.
    pub folder: Option<PathBuf>,
    /// How many bytes the grams may have together. Where they would have more, there is no index.
    pub limit: u64,
    /// Stands for the rules that say what may be read: an index that was made under others is not used.
    pub policy: [u8; 32],
    /// How many directories and files may be watched. Where there are more, there is no index.
    pub watches: usize,
    /// Tells of mounts. Without it, there is no index.
    pub mounts: Option<Arc<MountTable>>,
    /// For tests that show what each part of the rule for freshness is needed for.
    pub leave_out: LeaveOut,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            watches: 1 << 20,
            folder: None,
            limit: 2 << 30,
            policy: [0; 32],
            mounts: None,
            leave_out: LeaveOut::default(),
        }
    }
}

/// How an index stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nothing was searched yet that was worth an index.
    Cold,
    /// It is being made.
    Building,
    /// It answers.
    Warm {
        /// Files in the table.
        files: usize,
        /// How many of them are indexed.
        indexed: usize,
        /// Of how many nothing had to be read, since an earlier index knew them.
        known: usize,
        /// Bytes of all grams.
        size: u64,
    },
    /// There can be none here.
    Off(Lost),
}

/// An index of one root. Dropping it ends its thread.
pub struct Index(Arc<Shared>);

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Index").field(&self.status()).finish()
    }
}

struct Shared {
    root: Arc<Dir>,
    may_read: MayRead,
    options: Options,
    phase: Mutex<Phase>,
    /// Whether a thread keeps it.
    kept: AtomicBool,
    /// Whether it could not be written down.
    in_memory: AtomicBool,
    over: AtomicBool,
}

enum Phase {
    Cold,
    Building,
    Warm(Box<Warm>),
    /// It has to be made anew, and this is what it was.
    Lost(Box<Warm>),
    Off(Lost),
}

struct Warm {
    state: State,
    events: Arc<Events>,
    mounts: (Arc<MountTable>, u64),
    excludes: Excludes,
    store: Option<Store>,
}

/// How many names are looked at before a query, and half of how many files that were opened; more are left to the thread, since
/// reading all files would take less time.
const FOR_A_QUERY: usize = 10_000;

/// The same for the thread.
const FOR_THE_THREAD: usize = 200_000;

/// How many files the thread reads before it lets others have the index.
const AT_ONCE: usize = 16;

/// How long it waits before it makes a table anew that was lost while it was made.
const PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How often a program that waits for the thread looks whether it is done.
const MOMENT: Duration = Duration::from_millis(1);

impl Index {
    /// For everything below a root, of which only what `may_read` allows is ever read.
    #[must_use]
    pub fn new(root: Dir, may_read: MayRead, options: Options) -> Self {
        let phase = match root.reporting() {
            Reporting::Nothing => Phase::Off(Lost::Unreported),
            Reporting::Events | Reporting::EventsAndTimes => Phase::Cold,
        };
        let (phase, [kept, in_memory, over]) = (Mutex::new(phase), [false; 3].map(AtomicBool::new));
        Self(Arc::new(Shared { root: Arc::new(root), may_read, options, phase, kept, in_memory, over }))
    }

    /// The index as it is now: everything that was finished before this call is in it. None if there is none, or if that cannot
    /// be proved.
    #[must_use]
    pub fn view(&self) -> Option<View<'_>> {
        let mut phase = self.0.lock();
        let Phase::Warm(warm) = &mut *phase else { return None };
        match warm.refresh(FOR_A_QUERY) {
            Ok(()) => Some(View(phase)),
            // The thread has more to do than a query should wait for.
            Err(Lost::Behind) if self.0.kept.load(Ordering::Acquire) => None,
            Err(lost) => {
                phase.lose(lost);
                None
            }
        }
    }

    /// Makes the index on a thread of its own, unless that was begun before.
    pub fn build_in_background(&self) {
        let is_wanted = matches!(*self.0.lock(), Phase::Cold | Phase::Lost(_));
        if !is_wanted || self.0.kept.swap(true, Ordering::AcqRel) {
            return;
        }
        self.spawn();
    }

    /// Makes the index now, or waits for the thread that is at it, and keeps it on a thread of its own.
    pub fn build_and_keep(&self) {
        let is_kept = self.0.kept.swap(true, Ordering::AcqRel);
        while self.view().is_none() {
            match self.status() {
                Status::Off(_) => return,
                Status::Building if !self.0.is_lost() => std::thread::sleep(MOMENT),
                _ if self.0.build_now() => {}
                _ => break,
            }
        }
        if !is_kept {
            self.spawn();
        }
    }

    /// Makes the index now, unless it is there or a thread is at it. No thread is started: what changes is looked at by
    /// [`view`](Index::view) alone, and an index that is lost stays so until the next call.
    pub fn build(&self) {
        if self.view().is_none() && !self.0.kept.load(Ordering::Acquire) {
            self.0.build_now();
        }
    }

    fn spawn(&self) {
        let shared = Arc::clone(&self.0);
        let thread = std::thread::Builder::new().name("index".to_owned());
        if thread.spawn(move || shared.keep()).is_err() {
            self.0.kept.store(false, Ordering::Release);
        }
    }

    /// Reads what has changed since, so that it need not be searched for every query.
    pub fn catch_up(&self) {
        if let Phase::Warm(warm) = &mut *self.0.lock() {
            while warm.state.read_some(AT_ONCE) {}
        }
    }

    /// Writes down what can be kept for the next run.
    pub fn save(&self) {
        if let Phase::Warm(warm) = &mut *self.0.lock() {
            warm.save();
        }
    }

    /// How it stands.
    #[must_use]
    pub fn status(&self) -> Status {
        match &*self.0.lock() {
            Phase::Cold => Status::Cold,
            Phase::Building | Phase::Lost(_) => Status::Building,
            Phase::Off(lost) => Status::Off(*lost),
            Phase::Warm(warm) => {
                let indexed = warm.state.indexed();
                let size = warm.state.segments.iter().map(Segment::size).sum();
                let (files, known) = (warm.state.tree.files(), warm.state.taken_over);
                Status::Warm { files, indexed, known, size }
            }
        }
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Release);
        if let Phase::Warm(warm) | Phase::Lost(warm) = &mut *self.0.lock() {
            warm.save();
            warm.events.end();
        }
    }
}

/// An index while a query uses it.
pub struct View<'a>(MutexGuard<'a, Phase>);

impl View<'_> {
    /// The table of files.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        match &*self.0 {
            Phase::Warm(warm) => &warm.state.tree,
            _ => &EMPTY,
        }
    }

    /// The same, to be judged by a policy.
    pub fn tree_mut(&mut self) -> Option<&mut Tree> {
        match &mut *self.0 {
            Phase::Warm(warm) => Some(&mut warm.state.tree),
            _ => None,
        }
    }

    /// The indexed files that may hold what a plan asks for; none if they are too many for a list to be of use. What is
    /// [unknown](Tree::unknown) may hold anything, and is not among them.
    ///
    /// # Errors
    ///
    /// If the index is damaged. It is made anew.
    pub fn candidates(&mut self, plan: &Plan) -> Result<Option<Vec<EntryId>>, Lost> {
        let Phase::Warm(warm) = &*self.0 else { return Ok(None) };
        let found = warm.state.candidates(plan);
        if let Err(lost) = found {
            if let Phase::Warm(warm) = &mut *self.0 {
                warm.forget();
            }
            self.0.lose(lost);
        }
        found
    }

    /// What the kernel says of a file now, for one that is unknown.
    #[must_use]
    pub fn look(&self, entry: EntryId) -> Option<Stat> {
        match &*self.0 {
            Phase::Warm(warm) => warm.state.look(entry),
            _ => None,
        }
    }
}

static EMPTY: Tree = Tree::new();

impl Phase {
    fn lose(&mut self, lost: Lost) {
        *self = match std::mem::replace(self, Self::Building) {
            Self::Warm(warm) => {
                warm.events.end();
                if lost.is_final() { Self::Off(lost) } else { Self::Lost(warm) }
            }
            other => other,
        };
    }
}

impl Warm {
    fn refresh(&mut self, most: usize) -> Result<(), Lost> {
        let (table, changes) = &self.mounts;
        if table.changes() != *changes && !self.state.leave_out.mounts {
            return Err(Lost::Mounts);
        }
        if self.excludes != Excludes::now() {
            return Err(Lost::Rules);
        }
        self.state.refresh(most)
    }

    fn save(&mut self) {
        self.state.collect();
        if let (Some(store), None) = (&mut self.store, self.state.pending.lost) {
            // What cannot be kept is made anew the next time.
            let _ = store.save(&self.state.known(), self.state.kept());
        }
    }

    /// Nothing of it is to be taken over.
    fn forget(&mut self) {
        self.state.segments.clear();
        if let Some(store) = &mut self.store {
            store.clear();
            let _ = store.save(&crate::state::Old::default(), 0);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Phase> {
        // A thread that panicked may have left a table that is half changed: nothing of it is used again.
        self.phase.lock().unwrap_or_else(|poisoned: PoisonError<_>| {
            let mut phase = poisoned.into_inner();
            *phase = Phase::Off(Lost::Damaged);
            phase
        })
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Keeps the index, and makes it if it is not there, until it is dropped.
    fn keep(&self) {
        if !self.options.leave_out.priority {
            yield_to_others();
        }
        let mut pause = PAUSE;
        while !self.is_over() {
            let events = match &*self.lock() {
                Phase::Warm(warm) => Some(Arc::clone(&warm.events)),
                Phase::Off(_) => return,
                _ => None,
            };
            if let Some(events) = events {
                pause = PAUSE;
                self.follow(&events);
            } else if !self.build_now() {
                std::thread::sleep(pause);
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
        // It may have been dropped while this thread was making it.
        if let Phase::Warm(warm) | Phase::Lost(warm) = &*self.lock() {
            warm.events.end();
        }
    }

    fn is_lost(&self) -> bool {
        matches!(*self.lock(), Phase::Lost(_))
    }

    /// Makes the index, of what it was if it was lost. Whether it is there now.
    fn build_now(&self) -> bool {
        let mut phase = self.lock();
        let old = match std::mem::replace(&mut *phase, Phase::Building) {
            Phase::Lost(old) => Some(old),
            Phase::Cold => None,
            // There is nothing to be made, or another thread makes it.
            other => {
                *phase = other;
                return false;
            }
        };
        drop(phase);
        let built = self.build(old).map(|mut warm| {
            warm.save();
            Phase::Warm(Box::new(warm))
        });
        if let Err(Lost::Failed) = built {
            // Perhaps the disk is full: the next one is not written down.
            self.in_memory.store(true, Ordering::Release);
        }
        let is_there = built.is_ok();
        *self.lock() =
            built.unwrap_or_else(|lost| if lost.is_final() { Phase::Off(lost) } else { Phase::Cold });
        is_there
    }

    /// Reads what changes, until the table is lost.
    fn follow(&self, events: &Events) {
        while events.wait() {
            loop {
                if self.is_over() {
                    return;
                }
                let mut phase = self.lock();
                let Phase::Warm(warm) = &mut *phase else { return };
                if let Err(lost) = warm.refresh(FOR_THE_THREAD) {
                    phase.lose(lost);
                    return;
                }
                if !warm.state.read_some(AT_ONCE) {
                    break;
                }
            }
        }
    }

    /// A second thread empties the kernel's queue, if the first one keeps the index: it must not wait for its turn as that one does.
    fn pump(&self, events: &Arc<Events>) -> Ended {
        if self.kept.load(Ordering::Acquire) {
            let events = Arc::clone(events);
            // Without it, the index is made anew more often.
            let _ = std::thread::Builder::new().name("index events".to_owned()).spawn(move || events.pump());
        }
        Ended(Some(Arc::clone(events)))
    }

    /// Makes the table and reads the grams, as far as an earlier index does not have them.
    fn build(&self, old: Option<Box<Warm>>) -> Result<Warm, Lost> {
        let stop = || self.is_over();
        let events = Arc::new(Events::new().ok_or(Lost::TooManyWatches)?);
        let ended = self.pump(&events);
        let mounts = self.options.mounts.clone().ok_or(Lost::Unreported)?;
        let mounts = (Arc::clone(&mounts), mounts.changes());
        let (mut store, earlier) = self.earlier(old);
        let excludes = Excludes::now();
        let (root, may_read) = (Arc::clone(&self.root), Arc::clone(&self.may_read));
        let mut state = State::new(root, Arc::clone(&events), may_read, &self.options);
        state.scan_all(&Rules::global(), &stop);
        state.segments = earlier.segments;
        state.read_all(earlier.known, earlier.documents, &stop, &mut |builder| match &mut store {
            Some(store) => store.put(builder),
            None => in_memory(builder),
        });
        state.pending.lost.map_or(Ok(()), Err)?;
        if state.segments.iter().map(Segment::size).sum::<u64>() > self.options.limit {
            return Err(Lost::TooLarge);
        }
        ended.keep();
        Ok(Warm { state, events, mounts, excludes, store })
    }

    /// What an earlier index knows, of this run or of the last.
    fn earlier(&self, old: Option<Box<Warm>>) -> (Option<Store>, Earlier) {
        let times = self.root.reporting() == Reporting::EventsAndTimes;
        let folder = self.options.folder.as_deref().filter(|_| !self.in_memory.load(Ordering::Acquire));
        if let Some(old) = old {
            let Warm { state, store, .. } = *old;
            let store = store.filter(|_| folder.is_some());
            return started(store, Some(state).filter(|_| times).and_then(State::into_earlier));
        }
        let mut store = folder.and_then(|folder| Store::open(folder, self.binding()));
        let earlier = store.as_mut().filter(|_| times).and_then(Store::load);
        started(store, earlier)
    }

    /// The root by its identity, and the policy.
    fn binding(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        let (dev, ino) = self.root.identity().unwrap_or_default();
        hasher.update(&dev.to_le_bytes()).update(&ino.to_le_bytes()).update(&self.options.policy);
        *hasher.finalize().as_bytes()
    }
}

/// A store that begins with what there is.
fn started(mut store: Option<Store>, earlier: Option<Earlier>) -> (Option<Store>, Earlier) {
    if let (Some(store), None) = (&mut store, &earlier) {
        store.clear();
    }
    (store, earlier.unwrap_or_default())
}

/// Ends the thread of events that nothing uses.
struct Ended(Option<Arc<Events>>);

impl Ended {
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        if let Some(events) = &self.0 {
            events.end();
        }
    }
}
