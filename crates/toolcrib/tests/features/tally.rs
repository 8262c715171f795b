//! Counts what ran, and keeps what went wrong.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use cucumber::event::{Cucumber, Feature, Rule, Scenario, Step, StepError};
use cucumber::{Event, Writer, cli, gherkin, parser};

use crate::world::World;

/// How many scenarios each feature has and how many of them passed, by the name of its file.
#[derive(Clone, Default)]
pub(crate) struct Tally {
    features: BTreeMap<String, Count>,
    faults: Vec<String>,
    /// Whether a step of the scenario that runs has failed.
    failed: bool,
}

#[derive(Clone, Copy, Default)]
struct Count {
    written: usize,
    passed: usize,
}

impl Tally {
    /// Expects every scenario in the files of `folder` that has `chosen` in its name.
    ///
    /// They are counted in the text and not by the parser, so that what the parser overlooks is missed.
    pub(crate) fn expecting(folder: &Path, chosen: &str) -> Self {
        let mut tally = Self::default();
        for entry in fs::read_dir(folder).unwrap() {
            let file = entry.unwrap().path();
            if file.extension().is_some_and(|extension| extension == "feature") {
                let written = scenarios_in(&fs::read_to_string(&file).unwrap(), chosen);
                tally.features.entry(name(&file)).or_default().written = written;
            }
        }
        tally
    }

    /// How much went wrong or was left out.
    pub(crate) fn faults(&self) -> usize {
        let missed = self.features.values().filter(|count| count.passed != count.written).count();
        let none = usize::from(self.features.values().all(|count| count.passed == 0));
        self.faults.len() + missed + none
    }

    fn scenario(
        &mut self,
        feature: &gherkin::Feature,
        scenario: &gherkin::Scenario,
        event: &Scenario<World>,
    ) {
        let file = feature.path.as_deref().map(name).unwrap_or_default();
        match event {
            Scenario::Started => self.failed = false,
            Scenario::Background(step, event) | Scenario::Step(step, event) => {
                if let Some(reason) = reason(event) {
                    self.failed = true;
                    let at = format!("{file}:{}: {}", step.position.line, scenario.name);
                    self.faults.push(format!("{at}\n    {}{}\n    {reason}", step.keyword, step.value));
                }
            }
            Scenario::Finished if !self.failed => self.features.entry(file).or_default().passed += 1,
            Scenario::Finished | Scenario::Hook(..) | Scenario::Log(_) => {}
        }
    }
}

impl Writer<World> for Tally {
    type Cli = cli::Empty;

    async fn handle_event(&mut self, event: parser::Result<Event<Cucumber<World>>>, _: &cli::Empty) {
        match event.map(Event::into_inner) {
            Ok(Cucumber::Feature(
                feature,
                Feature::Scenario(scenario, event) | Feature::Rule(_, Rule::Scenario(scenario, event)),
            )) => self.scenario(&feature, &scenario, &event.event),
            Ok(_) => {}
            Err(error) => self.faults.push(error.to_string()),
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for fault in &self.faults {
            writeln!(f, "{fault}\n")?;
        }
        let shown = self.features.iter().filter(|(_, count)| count.written > 0);
        for (file, Count { written, passed }) in shown {
            let missed = if passed == written { "" } else { "   NOT ALL" };
            writeln!(f, "{file:<34}{passed:>4} of {written:>3} scenarios passed{missed}")?;
        }
        let sum = |part: fn(&Count) -> usize| self.features.values().map(part).sum::<usize>();
        write!(
            f,
            "{:<34}{:>4} of {:>3}",
            "all features",
            sum(|count| count.passed),
            sum(|count| count.written)
        )
    }
}

/// Why a step did not pass.
fn reason(event: &Step<World>) -> Option<String> {
    match event {
        Step::Started | Step::Passed(..) => None,
        Step::Skipped => Some("no such step: see steps.rs for those there are".to_owned()),
        Step::Failed(_, _, _, StepError::Panic(panic)) => Some(
            panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|&said| said.to_owned()))
                .unwrap_or_default(),
        ),
        Step::Failed(_, _, _, error) => Some(error.to_string()),
    }
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The scenarios in a text; an outline counts once for each row of its examples.
fn scenarios_in(text: &str, chosen: &str) -> usize {
    let mut count = 0;
    let mut outline = false;
    let mut rows = None;
    for line in text.lines().map(str::trim_start) {
        let (single, several) = (line.strip_prefix("Scenario:"), line.strip_prefix("Scenario Outline:"));
        if let Some(name) = single.or(several) {
            outline = several.is_some() && name.contains(chosen);
            count += usize::from(single.is_some() && name.contains(chosen));
            rows = None;
        } else if line.starts_with("Examples:") {
            rows = Some(0);
        } else if let Some(rows) = &mut rows
            && line.starts_with('|')
        {
            // The first row is the heading.
            count += usize::from(outline && *rows > 0);
            *rows += 1;
        }
    }
    count
}
