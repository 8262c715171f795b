//! The sentences that features are written in. Few and general: a new tool needs none of its own.
//!
//! In a sentence, `"PATH"` and `"TEXT"` stand in quotes with JSON's escapes, `N` is a number, `LIST` is such as `5, 10 and 15`, and
//! `OBJECT` is one in JSON. What is below a sentence is a table, or a text between `"""`; a file's text ends with a newline that
//! is not written.

mod given;
mod then;
mod when;

use std::pin::Pin;
use std::sync::LazyLock;

use cucumber::gherkin::Step;
use cucumber::step::{Collection, Context};
use regex::Regex;

use crate::text::{docstring, unquoted};
use crate::world::World;

/// A sentence and what it does.
type Sentence = (&'static str, Act);
type Act = fn(&mut World, &Words<'_>);

/// What was said: the words in the sentence as they stand there, and what is below it.
struct Words<'a> {
    words: Vec<&'a str>,
    step: &'a Step,
}

impl Words<'_> {
    fn text(&self, at: usize) -> String {
        unquoted(self.words[at])
    }

    fn number(&self, at: usize) -> usize {
        self.words[at].parse().unwrap()
    }

    /// The text below the sentence.
    fn below(&self, world: &World) -> String {
        docstring(&world.feature_file, self.step)
            .unwrap_or_else(|| panic!("a text between \"\"\" is wanted below this step"))
    }
}

/// Every sentence as a pattern; made once, which is most of the work.
static PATTERNS: LazyLock<[Vec<(Regex, Act)>; 3]> = LazyLock::new(|| {
    [given::SENTENCES, when::SENTENCES, then::SENTENCES]
        .map(|sentences| sentences.iter().map(|(sentence, act)| (regex(sentence), *act)).collect())
});

pub(crate) fn collection() -> Collection<World> {
    let [given, when, then] = &*PATTERNS;
    let all = given.iter().fold(Collection::new(), |all, (pattern, _)| all.given(None, pattern.clone(), say));
    let all = when.iter().fold(all, |all, (pattern, _)| all.when(None, pattern.clone(), say));
    then.iter().fold(all, |all, (pattern, _)| all.then(None, pattern.clone(), say))
}

/// Cucumber has found that exactly one sentence fits; this finds it again, and does what it says.
fn say(world: &mut World, context: Context) -> Pin<Box<dyn Future<Output = ()> + '_>> {
    Box::pin(async move {
        let said = &context.step.value;
        let (pattern, act) = PATTERNS.iter().flatten().find(|(pattern, _)| pattern.is_match(said)).unwrap();
        let captures = pattern.captures(said).unwrap();
        let words = captures.iter().skip(1).map(|word| word.map_or("", |word| word.as_str())).collect();
        act(world, &Words { words, step: &context.step });
    })
}

/// The words in capitals become groups.
fn regex(sentence: &str) -> Regex {
    let quoted = r#""((?:[^"\\]|\\.)*)""#;
    let pattern = regex::escape(sentence)
        .replace("\"PATH\"", quoted)
        .replace("\"TEXT\"", quoted)
        .replace("WORD", r"(\w+)")
        .replace("OBJECT", r"(\{.*\})")
        .replace("LIST", r"(\d+(?:, \d+)*(?: and \d+)?)")
        .replace('N', r"(\d+)");
    Regex::new(&format!("^{pattern}$")).unwrap()
}
