//! Tools of the tests: what a user might add to the file tools.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use toolcrib::{Answer, Call, DynTool, Effect, Tool, ToolError, erase};

/// The tool of this name.
pub(crate) fn tool(name: &str) -> Arc<dyn DynTool> {
    match name {
        "Endless" => erase(Endless),
        "Launch" => erase(Launch),
        "Deaf" => erase(Deaf),
        other => panic!("the tests have no tool named {other}"),
    }
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// Works until it is told to stop.
struct Endless;

impl Tool for Endless {
    type Input = Nothing;
    type Output = String;
    const NAME: &'static str = "Endless";
    const DESCRIPTION: &'static str = "Works until it is told to stop.";
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, _: Nothing, call: &Call<'_>) -> Result<Answer<String>, ToolError> {
        loop {
            call.checkpoint()?;
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Does something that cannot be shown in advance.
struct Launch;

impl Tool for Launch {
    type Input = Nothing;
    type Output = String;
    const NAME: &'static str = "Launch";
    const DESCRIPTION: &'static str = "Launches.";
    const EFFECT: Effect = Effect::Acts;

    fn run(&self, _: Nothing, _: &Call<'_>) -> Result<Answer<String>, ToolError> {
        Ok("launched".to_owned().into())
    }
}

/// Does not listen when it is told to stop.
struct Deaf;

impl Tool for Deaf {
    type Input = Nothing;
    type Output = String;
    const NAME: &'static str = "Deaf";
    const DESCRIPTION: &'static str = "Works for two seconds.";
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, _: Nothing, _: &Call<'_>) -> Result<Answer<String>, ToolError> {
        std::thread::sleep(Duration::from_secs(2));
        Ok("at last".to_owned().into())
    }
}
