//! The counts, and the table they are shown in.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::slips::{Form, SLIPS, Slip};

/// What a call came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Right,
    Refused,
    Wrong,
}

#[derive(Clone, Copy, Default)]
struct Count {
    right: usize,
    refused: usize,
    wrong: usize,
}

impl Count {
    fn all(self) -> usize {
        self.right + self.refused + self.wrong
    }

    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Right => self.right += 1,
            Outcome::Refused => self.refused += 1,
            Outcome::Wrong => self.wrong += 1,
        }
    }

    fn shown(self) -> String {
        if self.all() == 0 {
            "·".to_owned()
        } else {
            format!("{} / {} / {}", self.right, self.refused, self.wrong)
        }
    }
}

pub(crate) struct Scores {
    contestants: Vec<String>,
    /// How many of them, from the first on, are Toolcrib's.
    own: usize,
    by_slip: HashMap<(Form, &'static str, usize), Count>,
}

impl Scores {
    pub(crate) fn new(contestants: Vec<String>, own: usize) -> Self {
        Self { contestants, own, by_slip: HashMap::new() }
    }

    pub(crate) fn count(&mut self, form: Form, slip: &Slip, contestant: usize, outcome: Outcome) {
        self.by_slip.entry((form, slip.name, contestant)).or_default().add(outcome);
    }

    /// In Markdown: right / refused / wrong.
    pub(crate) fn table(&self) -> String {
        let mut table = format!("\n| call | slip | {} |\n| --- | --- |", self.contestants.join(" | "));
        self.contestants.iter().for_each(|_| table.push_str(" ---: |"));
        table.push('\n');
        for form in [Form::Edit, Form::Unified, Form::Envelope] {
            for slip in SLIPS.iter().filter(|slip| slip.forms.contains(&form)) {
                let counts = (0..self.contestants.len()).map(|index| self.at(form, slip, index).shown());
                let must = if slip.must_refuse { " (must be refused)" } else { "" };
                let counts = counts.collect::<Vec<_>>().join(" | ");
                let _ = writeln!(table, "| {} | {}{must} | {counts} |", name(form), slip.name);
            }
        }
        let totals = (0..self.contestants.len()).map(|index| {
            let total = self.total(index, |_| true);
            let part = |count: usize| 100.0 * count as f64 / total.all().max(1) as f64;
            format!(
                "**{} calls: {:.1} % / {:.1} % / {:.1} %**",
                total.all(),
                part(total.right),
                part(total.refused),
                part(total.wrong)
            )
        });
        let _ = writeln!(table, "| **all** | | {} |", totals.collect::<Vec<_>>().join(" | "));
        table
    }

    /// In Markdown, a line for each contestant.
    pub(crate) fn summary(&self) -> String {
        let mut table =
            "\n| | calls | right | refused | wrong | ambiguous | refused, as they must be |\n".to_owned();
        table.push_str("| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
        for (index, name) in self.contestants.iter().enumerate() {
            let clear = self.total(index, |slip| !slip.must_refuse);
            let doubtful = self.total(index, |slip| slip.must_refuse);
            let part = |count: usize| 100.0 * count as f64 / clear.all().max(1) as f64;
            let _ = writeln!(
                table,
                "| {name} | {} | {:.1} % | {:.1} % | {} | {} | {} |",
                clear.all(),
                part(clear.right),
                part(clear.refused),
                clear.wrong,
                doubtful.all(),
                doubtful.right
            );
        }
        table
    }

    /// Toolcrib is never wrong, nearly always right where it can be known what is meant, and refuses all else.
    pub(crate) fn meets_the_aims(&self) -> bool {
        // All are judged, also after one that misses.
        let met: Vec<bool> = (0..self.own).map(|index| self.meets_them(index)).collect();
        met.into_iter().all(|met| met)
    }

    fn meets_them(&self, index: usize) -> bool {
        let clear = self.total(index, |slip| !slip.must_refuse);
        let doubtful = self.total(index, |slip| slip.must_refuse);
        let (wrong, all) = (clear.wrong + doubtful.wrong, clear.all() + doubtful.all());
        let right = 100.0 * clear.right as f64 / clear.all().max(1) as f64;
        let aim = |met: bool, what: String| {
            println!("  {}: {what}", if met { "met" } else { "MISSED" });
            met
        };
        println!("\n{}", self.contestants[index]);
        // A dialect that takes one form of call has fewer of them.
        let least = if index == 0 { 10_000 } else { 5000 };
        [
            aim(wrong == 0 && all >= least, format!("wrong 0 of at least {least}: {wrong} of {all}")),
            aim(right >= 99.0, format!("right at least 99 % of what can be understood: {right:.2} %")),
            aim(
                doubtful.right == doubtful.all(),
                format!("refused all that must be: {} of {}", doubtful.right, doubtful.all()),
            ),
        ]
        .iter()
        .all(|met| *met)
    }

    fn at(&self, form: Form, slip: &Slip, contestant: usize) -> Count {
        self.by_slip.get(&(form, slip.name, contestant)).copied().unwrap_or_default()
    }

    fn total(&self, contestant: usize, counts: impl Fn(&Slip) -> bool) -> Count {
        let mut total = Count::default();
        for slip in SLIPS.iter().filter(|slip| counts(slip)) {
            for form in slip.forms {
                let Count { right, refused, wrong } = self.at(*form, slip, contestant);
                total.right += right;
                total.refused += refused;
                total.wrong += wrong;
            }
        }
        total
    }
}

fn name(form: Form) -> &'static str {
    match form {
        Form::Edit => "Edit",
        Form::Unified => "unified diff",
        Form::Envelope => "envelope",
    }
}
