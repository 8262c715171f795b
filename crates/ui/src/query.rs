//! The query of a request's address.

use std::str::FromStr;

use percent_encoding::percent_decode_str;

use crate::answer::Refusal;

/// The parameters behind the question mark. Of one that is given twice, the first counts.
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn of(query: Option<&str>) -> Self {
        let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        Self(pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).map(decoded).collect())
    }

    /// What is given under this name, if it is anything.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let value = self.0.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str());
        value.filter(|value| !value.is_empty())
    }

    /// The same as a value.
    pub(crate) fn parse<T: FromStr>(&self, name: &str) -> Result<Option<T>, Refusal> {
        let Some(given) = self.get(name) else { return Ok(None) };
        given.parse().map(Some).map_err(|_| Refusal::bad(format!("'{name}' cannot be '{given}'")))
    }

    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.get(name) == Some("1")
    }
}

fn decoded((name, value): (&str, &str)) -> (String, String) {
    let decode = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    (decode(name), decode(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded_once() {
        let query = Query::of(Some("path=a%20b%2Bc+d&empty=&n=7&n=8&x=%2525&bad=%zz"));
        assert_eq!(query.get("path"), Some("a b+c d"));
        assert_eq!((query.get("empty"), query.get("missing")), (None, None));
        assert_eq!(query.parse::<u64>("n").unwrap(), Some(7));
        assert_eq!((query.get("x"), query.get("bad")), (Some("%25"), Some("%zz")));
        assert!(query.parse::<u64>("path").is_err());
        assert_eq!(Query::of(None).get(""), None);
    }
}
