//! Answering what cannot be understood: a caller that gave an id waits for an answer under it.
//!
//! The id is looked for in the bytes themselves, as they come: the message may be no JSON, nested too deeply for a parser
//! or too long to be kept.

use rmcp::model::RequestId;
use serde_json::{Value, json};

/// What is wrong with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    NotJson,
    TooDeep,
    TooLong,
    /// JSON, but no message of the protocol.
    NotAMessage,
}

impl Malformed {
    /// Why it could not be parsed.
    pub(crate) fn by(error: &serde_json::Error) -> Self {
        match error.classify() {
            serde_json::error::Category::Data => Self::NotAMessage,
            _ if error.to_string().starts_with("recursion limit exceeded") => Self::TooDeep,
            _ => Self::NotJson,
        }
    }

    /// The code that JSON-RPC has for it.
    pub(crate) fn code(self) -> i32 {
        match self {
            Self::NotJson | Self::TooDeep => -32700,
            Self::TooLong | Self::NotAMessage => -32600,
        }
    }

    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::NotJson => "Parse error: the message is not valid JSON",
            Self::TooDeep => "Parse error: the message is nested more than 128 levels deep",
            Self::TooLong => "Invalid request: the message has more than 16 MiB",
            Self::NotAMessage => {
                "Invalid request: the message is no request, response or notification of MCP"
            }
        }
    }

    /// The whole answer.
    pub(crate) fn answer(self, id: Option<&RequestId>) -> Value {
        json!({"jsonrpc": "2.0", "id": id, "error": {"code": self.code(), "message": self.sentence()}})
    }
}

/// Finds the id of a message in its bytes.
#[derive(Debug, Default)]
pub(crate) struct IdFinder {
    depth: usize,
    string: Option<Vec<u8>>,
    escaped: bool,
    /// The latest string at the top level: a key, if a colon follows.
    key: Vec<u8>,
    /// The value that follows the key `id`, as far as it has come.
    value: Option<Vec<u8>>,
    found: Option<RequestId>,
    deepest: usize,
}

/// As deep as the parser goes.
const DEEPEST: usize = 127;

/// No id is longer.
const LONGEST_ID: usize = 256;

impl IdFinder {
    /// Looks through these bytes.
    pub(crate) fn over(message: &[u8]) -> Self {
        let mut finder = Self::default();
        finder.feed(message);
        finder
    }

    /// Goes on with the next bytes of the message.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// Whether it is nested more deeply than a parser goes.
    pub(crate) fn is_too_deep(&self) -> bool {
        self.deepest > DEEPEST
    }

    /// What was found.
    pub(crate) fn id(self) -> Option<RequestId> {
        self.found
    }

    fn step(&mut self, byte: u8) {
        if let Some(string) = &mut self.string {
            let ends = byte == b'"' && !self.escaped;
            self.escaped = byte == b'\\' && !self.escaped;
            if !ends {
                if string.len() < LONGEST_ID {
                    string.push(byte);
                }
                return;
            }
            let string = self.string.take().unwrap_or_default();
            match self.value.take() {
                Some(_) if self.depth == 1 => self.take([b"\"", &string[..], b"\""].concat()),
                value => (self.value, self.key) = (value, string),
            }
            return;
        }
        match byte {
            b'"' => self.string = Some(Vec::new()),
            b'{' | b'[' => {
                self.depth += 1;
                self.deepest = self.deepest.max(self.depth);
                self.value = None;
            }
            b':' if self.depth == 1 && self.key == b"id" => self.value = Some(Vec::new()),
            b'}' | b']' | b',' => {
                if let Some(value) = self.value.take().filter(|_| self.depth == 1) {
                    self.take(value);
                }
                self.key.clear();
                self.depth -= usize::from(byte != b',').min(self.depth);
            }
            other => {
                if let Some(value) = &mut self.value
                    && value.len() < LONGEST_ID
                {
                    value.push(other);
                }
            }
        }
    }

    fn take(&mut self, raw: Vec<u8>) {
        if self.found.is_none() {
            self.found = serde_json::from_slice(&raw).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(message: &str) -> Option<Value> {
        let whole = IdFinder::over(message.as_bytes()).id().map(|id| serde_json::to_value(id).unwrap());
        // The same if it comes byte by byte.
        let mut finder = IdFinder::default();
        message.bytes().for_each(|byte| finder.feed(&[byte]));
        assert_eq!(finder.id().map(|id| serde_json::to_value(id).unwrap()), whole);
        whole
    }

    #[test]
    fn the_id_of_the_message_is_found_and_no_other() {
        assert_eq!(id(r#"{"jsonrpc": "2.0", "id": 7, "method": "ping""#), Some(json!(7)));
        assert_eq!(id(r#"{"id":"a\"b","method":"#), Some(json!("a\"b")));
        assert_eq!(id(r#"{"method":"x","params":{"id":1,"a":["id"]},"id": 12 }"#), Some(json!(12)));
        assert_eq!(id(r#"{"a":"id","b":{"id":3}}"#), None);
        assert_eq!(id(r#"{"id":null,"x":1"#), None);
        assert_eq!(id(r#"{"id":[1],"x":1"#), None);
        assert_eq!(id(r#"{"params":{"x":"\\","y":"}"},"id":5,,}"#), Some(json!(5)));
        assert_eq!(id("GET / HTTP/1.1"), None);
        assert_eq!(id(""), None);
        assert_eq!(id("}}}}{\"id\":1,"), Some(json!(1)));
        let deep = format!(r#"{{"params":{}{},"id":9}}"#, "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(id(&deep), Some(json!(9)));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let wrong = |message: &str| Malformed::by(&serde_json::from_str::<Value>(message).unwrap_err());
        assert_eq!(wrong("{"), Malformed::NotJson);
        assert_eq!(wrong("[1,]"), Malformed::NotJson);
        for depth in [DEEPEST, DEEPEST + 1] {
            let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let parses = serde_json::from_str::<Value>(&nested).is_ok();
            assert_eq!(IdFinder::over(nested.as_bytes()).is_too_deep(), !parses, "{depth}");
        }
        assert_eq!(wrong(&"[".repeat(500)), Malformed::TooDeep);
    }
}
