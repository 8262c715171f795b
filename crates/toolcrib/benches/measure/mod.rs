//! What the benchmarks share: medians of interleaved rounds, and the table they are shown in.
//!
//! Contestants take turns within a round, so that a machine that is busy for a while is busy for all of them.

use std::time::Duration;

/// One contestant: its name, and what it took in each round.
pub(crate) struct Samples {
    pub(crate) name: &'static str,
    seconds: Vec<f64>,
}

impl Samples {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, seconds: Vec::new() }
    }

    /// Adds a round in which `times` turns took so long together.
    pub(crate) fn push(&mut self, together: Duration, times: usize) {
        self.seconds.push(together.as_secs_f64() / times as f64);
    }

    /// The median, in seconds.
    pub(crate) fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// What this part of the rounds did not exceed, in seconds.
    fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        sorted.get((last as f64 * part).round() as usize).copied().unwrap_or_default()
    }
}

/// Shows contestants beside the first one.
pub(crate) fn show(title: &str, samples: &[&Samples]) {
    println!("\n{title:<48} {:>11} {:>11} {:>11} {:>9}", "median", "fastest", "9 of 10", "ratio");
    let first = samples.first().map_or(0.0, |samples| samples.median());
    for samples in samples {
        let [median, fastest, most] = [0.5, 0.0, 0.9].map(|part| shown(samples.quantile(part)));
        let ratio = samples.median() / first;
        println!("  {:<46} {median:>11} {fastest:>11} {most:>11} {ratio:>9.2}", samples.name);
    }
}

/// Says whether an aim is met, and gives that back.
pub(crate) fn aim(what: &str, found: &str, met: bool) -> bool {
    println!("  {}: {what}: {found}", if met { "met" } else { "MISSED" });
    met
}

/// Seconds in the unit that suits them.
pub(crate) fn shown(seconds: f64) -> String {
    match seconds {
        ..1e-6 => format!("{:.1} ns", seconds * 1e9),
        ..1e-3 => format!("{:.2} µs", seconds * 1e6),
        _ => format!("{:.2} ms", seconds * 1e3),
    }
}
