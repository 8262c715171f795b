//! A tool of your own beside the built-in ones: `cargo run -p toolcrib --example own_tool`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolcrib::{Answer, Call, Category, Effect, Format, Tool, ToolError, Toolbox};

#[derive(Deserialize, JsonSchema)]
struct CountInput {
    /// The text whose words are counted
    text: String,
    /// How many of the most frequent words to give
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 100))]
    most: usize,
}

fn three() -> usize {
    3
}

#[derive(Serialize, JsonSchema)]
struct CountOutput {
    /// The words with their number, most frequent first
    words: Vec<(String, usize)>,
}

struct CountWords;

impl Tool for CountWords {
    type Input = CountInput;
    type Output = CountOutput;
    const NAME: &'static str = "CountWords";
    const DESCRIPTION: &'static str = "Counts the words of a text.";
    const CATEGORY: Category = Category::Other;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: CountInput, call: &Call<'_>) -> Result<Answer<CountOutput>, ToolError> {
        let mut counts = BTreeMap::new();
        for word in input.text.split_whitespace() {
            call.checkpoint()?; // ends the loop when the call times out or is cancelled
            *counts.entry(word.to_lowercase()).or_default() += 1;
        }
        let mut words: Vec<(String, usize)> = counts.into_iter().collect();
        words.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        words.truncate(input.most);
        Ok(CountOutput { words }.into())
    }
}

#[allow(clippy::print_stdout, reason = "an example shows its answers")]
fn main() -> Result<(), ToolError> {
    let toolbox = Toolbox::open(env!("CARGO_MANIFEST_DIR"))?;
    toolbox.register(CountWords)?;

    let call = json!({"text": "the cat and the dog and the bird", "most": "2"});
    let result = toolbox.call_blocking("CountWords", call, &toolbox.context());
    println!("{}", result.to_display());

    let wrong = toolbox.call_blocking("CountWords", json!({"txt": "hello"}), &toolbox.context());
    println!("{}", wrong.to_display());

    println!("{:#}", toolbox.schemas(Format::Anthropic).pop().unwrap_or_default());
    Ok(())
}
