//! The curves of a row, and what follows from them.

use std::collections::BTreeMap;
use std::fmt;

use toolcrib_testkit::growth::{Curve, Power};

use crate::point::Cost;
use crate::row::{Ground, Memory, Row};

/// A row with what it has cost at every size.
pub(crate) struct Measured<'r> {
    pub(crate) ground: &'r Ground,
    pub(crate) row: &'r Row,
    costs: BTreeMap<usize, Cost>,
    /// Why it could not be measured.
    pub(crate) broken: Option<String>,
}

/// How a row grows.
pub(crate) enum Verdict {
    /// Even the largest size takes no time to speak of.
    TooQuick,
    /// As fast as it may.
    Fine(Power),
    /// Time grows faster than it may.
    TooSlow(Power),
    /// Memory grows faster than it may.
    TooLarge,
    /// It did not do what it is to do.
    Broken,
}

/// How fast time and memory may grow; n log n is below.
const MOST: f64 = 1.15;
/// A row that takes less at the largest size is not judged, and points that take less are not fitted; in seconds.
const MATTERS: f64 = 0.005;
const FLOOR: f64 = 0.000_5;
/// Less memory is not judged, and what should not grow may by so much: the allocator and the threads take what they like.
const MEMORY_FLOOR: f64 = 6.0 * 1024.0 * 1024.0;

impl<'r> Measured<'r> {
    pub(crate) fn new(ground: &'r Ground, row: &'r Row) -> Self {
        Self { ground, row, costs: BTreeMap::new(), broken: None }
    }

    pub(crate) fn add(&mut self, size: usize, cost: Cost) {
        let least = self.costs.entry(size).or_insert(cost);
        *least = Cost { time: least.time.min(cost.time), memory: least.memory.min(cost.memory) };
    }

    pub(crate) fn sizes(&self) -> (usize, usize) {
        let first = self.costs.keys().next().copied().unwrap_or_default();
        (first, self.largest().0)
    }

    /// The largest size and its cost.
    pub(crate) fn largest(&self) -> (usize, Cost) {
        self.costs
            .last_key_value()
            .map_or((0, Cost { time: 0.0, memory: 0.0 }), |(size, cost)| (*size, *cost))
    }

    pub(crate) fn times(&self) -> Curve {
        self.curve(|cost| cost.time)
    }

    pub(crate) fn memory(&self) -> Option<Power> {
        self.curve(|cost| cost.memory).fit(MEMORY_FLOOR)
    }

    fn curve(&self, of: fn(&Cost) -> f64) -> Curve {
        let mut curve = Curve::default();
        self.costs.iter().for_each(|(size, cost)| curve.push(*size as f64, of(cost)));
        curve
    }

    pub(crate) fn verdict(&self) -> Verdict {
        if self.broken.is_some() {
            return Verdict::Broken;
        }
        if self.grows_in_memory() {
            return Verdict::TooLarge;
        }
        let (_, last) = self.largest();
        let times = self.times();
        // Too few points above the floor: it grows so fast that there was no time below.
        let fitted = times.fit(FLOOR).or_else(|| times.fit(0.0));
        match fitted {
            Some(power) if last.time >= MATTERS && power.exponent > MOST => Verdict::TooSlow(power),
            Some(power) if last.time >= MATTERS => Verdict::Fine(power),
            _ => Verdict::TooQuick,
        }
    }

    fn grows_in_memory(&self) -> bool {
        let (_, last) = self.largest();
        let first = self.costs.values().map(|cost| cost.memory).fold(f64::INFINITY, f64::min);
        match self.row.memory {
            Memory::Flat => last.memory - first > MEMORY_FLOOR,
            Memory::Linear => self.memory().is_some_and(|power| power.exponent > MOST),
        }
    }
}

impl Verdict {
    pub(crate) fn is_failure(&self) -> bool {
        matches!(self, Self::TooSlow(_) | Self::TooLarge | Self::Broken)
    }
}

impl fmt::Display for Measured<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (size, cost) = self.largest();
        let megabytes = cost.memory / (1 << 20) as f64;
        write!(f, "{:<44} {:>10} at {size:>9} {megabytes:>7.1} MB  ", self.row.name, time(cost.time))?;
        match self.verdict() {
            Verdict::TooQuick => write!(f, "too quick to matter"),
            Verdict::Fine(power) => write!(f, "exponent {:.2}, R² {:.3}", power.exponent, power.r_squared),
            Verdict::TooSlow(power) => {
                write!(f, "GROWS TOO FAST: exponent {:.2}, R² {:.3}", power.exponent, power.r_squared)
            }
            Verdict::TooLarge => write!(f, "MEMORY GROWS"),
            Verdict::Broken => write!(f, "BROKEN: {}", self.broken.as_deref().unwrap_or_default()),
        }?;
        match self.memory() {
            Some(power) if self.row.memory == Memory::Linear => write!(f, "; memory {:.2}", power.exponent),
            _ => Ok(()),
        }
    }
}

/// Seconds in the unit that suits them.
pub(crate) fn time(seconds: f64) -> String {
    match seconds {
        ..1e-6 => format!("{:.0} ns", seconds * 1e9),
        ..1e-3 => format!("{:.0} µs", seconds * 1e6),
        ..1.0 => format!("{:.1} ms", seconds * 1e3),
        _ => format!("{seconds:.2} s"),
    }
}
