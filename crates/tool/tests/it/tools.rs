//! Tools for the tests: one of each sort.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_tool::{Answer, Call, Category, Effect, Executor, Registry, Tool, ToolError};

/// An executor of these tools.
pub(crate) fn executor(add: impl FnOnce(&Registry)) -> Executor {
    let registry = Registry::new();
    add(&registry);
    Executor::new(Arc::new(registry))
}

/// Says a word several times.
pub(crate) struct Echo;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct EchoInput {
    /// What to say
    #[schemars(length(min = 1, max = 1_000_000))]
    word: String,
    /// How often
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 9))]
    times: u32,
    /// In which voice
    voice: Option<Voice>,
    /// What to put after it, in order
    #[serde(default)]
    marks: Vec<Mark>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Voice {
    /// As it is.
    Plain,
    /// In capitals.
    Loud,
}

#[derive(Deserialize, JsonSchema)]
struct Mark {
    /// The sign
    sign: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct EchoOutput {
    #[serde(skip)]
    said: String,
    /// How many words were said
    words: u32,
}

fn once() -> u32 {
    1
}

impl Tool for Echo {
    type Input = EchoInput;
    type Output = EchoOutput;
    const NAME: &'static str = "Echo";
    const TITLE: &'static str = "Say it";
    const DESCRIPTION: &'static str = "Says a word.";
    const CATEGORY: Category = Category::Task;
    const EFFECT: Effect = Effect::Reads;

    fn run(&self, input: EchoInput, _: &Call<'_>) -> Result<Answer<EchoOutput>, ToolError> {
        let marks: String = input.marks.into_iter().map(|mark| mark.sign).collect();
        let word = match input.voice {
            Some(Voice::Loud) => input.word.to_uppercase(),
            Some(Voice::Plain) | None => input.word,
        };
        let said = vec![word; usize::try_from(input.times).unwrap_or(1)].join(" ") + &marks;
        let answer: Answer<EchoOutput> = EchoOutput { said, words: input.times }.into();
        Ok(answer.note("noted", true))
    }

    fn render(&self, output: &EchoOutput) -> Option<String> {
        Some(output.said.clone())
    }
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Nothing {}

/// Defines a tool without parameters that answers with a text.
macro_rules! simple_tool {
    ($tool:ident, $effect:expr, |$self:ident, $call:ident| $body:expr) => {
        impl Tool for $tool {
            type Input = Nothing;
            type Output = String;
            const NAME: &'static str = stringify!($tool);
            const DESCRIPTION: &'static str = "A tool of the tests.";
            const EFFECT: Effect = $effect;

            fn run(&$self, _: Nothing, $call: &Call<'_>) -> Result<Answer<String>, ToolError> {
                $body
            }
        }
    };
}

/// Acts by itself, and counts how often it did.
pub(crate) struct Launch(pub(crate) Arc<AtomicUsize>);
simple_tool!(Launch, Effect::Acts, |self, _call| {
    self.0.fetch_add(1, Ordering::SeqCst);
    Ok("launched".to_owned().into())
});

/// Panics.
pub(crate) struct Clumsy;
simple_tool!(Clumsy, Effect::Reads, |self, _call| panic!("dropped the {}", "plate"));

/// Works until it is told to stop; the counter says how many are at work.
pub(crate) struct Endless(pub(crate) Arc<AtomicUsize>);
simple_tool!(Endless, Effect::Reads, |self, call| {
    let _at_work = AtWork::new(&self.0);
    loop {
        call.checkpoint()?;
        std::thread::sleep(Duration::from_millis(1));
    }
});

/// Works until the test lets it go, and does not listen to anybody else.
#[derive(Clone, Default)]
pub(crate) struct Deaf {
    pub(crate) at_work: Arc<AtomicUsize>,
    pub(crate) let_go: Arc<AtomicBool>,
}
simple_tool!(Deaf, Effect::Reads, |self, _call| {
    let _at_work = AtWork::new(&self.at_work);
    let until = Instant::now() + Duration::from_secs(60);
    while !self.let_go.load(Ordering::SeqCst) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok("at last".to_owned().into())
});

/// Counts how often it was begun.
pub(crate) struct Counted(pub(crate) Arc<AtomicUsize>);
simple_tool!(Counted, Effect::Reads, |self, _call| {
    self.0.fetch_add(1, Ordering::SeqCst);
    Ok("begun".to_owned().into())
});

/// Counts a call while it is on some thread's stack.
struct AtWork(Arc<AtomicUsize>);

impl AtWork {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
