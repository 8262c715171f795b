//! What happens.

use serde_json::Map;

use super::Sentence;
use crate::text::object;

pub(super) const SENTENCES: &[Sentence] = &[
    ("the agent calls WORD with:", |world, words| {
        let arguments = object(&world.feature_file, words.step);
        world.call(&words.text(0), arguments);
    }),
    ("the agent calls WORD with OBJECT", |world, words| {
        world.call(&words.text(0), serde_json::from_str(words.words[1]).unwrap());
    }),
    ("the agent calls WORD", |world, words| world.call(&words.text(0), Map::new())),
    ("somebody else saves \"TEXT\" in \"PATH\"", |world, words| world.write(&words.text(1), words.text(0))),
    ("the schemas are asked for in the form of \"TEXT\"", |world, words| {
        world.ask_for_schemas(words.text(0).parse().unwrap());
    }),
    ("the tool WORD is taken out", |world, words| {
        assert!(world.toolbox().executor().registry().deregister(&words.text(0)));
    }),
];
