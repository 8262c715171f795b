//! Who is let in: decided by the head of a request alone, before anything of it is parsed.

use std::net::SocketAddr;

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Method, StatusCode, Uri};
use toolcrib_loopback::{Answer, OwnNames, is_json, only, secret};

use super::{PATH, plain};

/// What a request has to show.
pub(super) struct Gate {
    names: OwnNames,
    token: String,
}

/// Why a request is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is meant for another machine, or a web page sent it.
    Foreign,
    NoToken,
    NoSuchPath,
    NotJson,
}

impl Gate {
    pub(super) fn new(address: SocketAddr, token: String) -> Self {
        Self { names: OwnNames::new(address), token }
    }

    pub(super) fn names(&self) -> &OwnNames {
        &self.names
    }

    pub(super) fn admit(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        if !self.names.are_meant_by(uri, headers) {
            return Err(Refusal::Foreign);
        }
        if !self.has_token(headers) {
            return Err(Refusal::NoToken);
        }
        if uri.path() != PATH {
            return Err(Refusal::NoSuchPath);
        }
        if *method == Method::POST && !is_json(headers) {
            return Err(Refusal::NotJson);
        }
        Ok(())
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let Some(given) = only(headers, AUTHORIZATION) else { return false };
        let Some((scheme, token)) = given.split_at_checked("Bearer ".len()) else { return false };
        scheme.eq_ignore_ascii_case(b"Bearer ") && secret::same(token, self.token.as_bytes())
    }
}

impl Refusal {
    pub(super) fn answer(self) -> Answer {
        match self {
            Self::Foreign => {
                plain(StatusCode::FORBIDDEN, "This server answers programs on this machine, and no web page")
            }
            Self::NoToken => {
                let mut answer = plain(
                    StatusCode::UNAUTHORIZED,
                    "Bring the token that the server printed when it started: Authorization: Bearer TOKEN",
                );
                answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
                answer
            }
            Self::NoSuchPath => plain(StatusCode::NOT_FOUND, "The server is at /mcp"),
            Self::NotJson => plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Send Content-Type: application/json"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn gate() -> Gate {
        Gate::new("127.0.0.1:4000".parse().unwrap(), TOKEN.to_owned())
    }

    fn head(fields: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    fn post(fields: &[(&'static str, &str)]) -> Result<(), Refusal> {
        let mut all = vec![("content-type", "application/json")];
        all.extend_from_slice(fields);
        gate().admit(&Method::POST, &Uri::from_static("/mcp"), &head(&all))
    }

    /// Each header alone and both: good hosts and origins in every pair, and each of many bad ones with all others.
    #[test]
    fn only_a_request_that_is_meant_for_us_is_let_in() {
        const GOOD_HOSTS: &[&str] = &["127.0.0.1:4000", "localhost:4000", "[::1]:4000", "LOCALHOST:4000"];
        const BAD_HOSTS: &[&str] = &[
            "",
            "evil.example",
            "evil.example:4000",
            "127.0.0.1",
            "localhost",
            "127.0.0.1:80",
            "127.0.0.1:40000",
            "127.0.0.1:4000.evil.example",
            "localhost.evil.example:4000",
            "0.0.0.0:4000",
            "127.0.0.2:4000",
            "[::]:4000",
            "user@127.0.0.1:4000",
            "127.0.0.1:4000 ",
            "localhost:4000,evil.example",
            "127.1:4000",
            "2130706433:4000",
            "localhost.:4000",
        ];
        const GOOD_ORIGINS: &[&str] =
            &["http://127.0.0.1:4000", "http://localhost:4000", "http://[::1]:4000"];
        const BAD_ORIGINS: &[&str] = &[
            "",
            "null",
            "http://evil.example",
            "https://127.0.0.1:4000",
            "http://127.0.0.1",
            "http://localhost",
            "http://127.0.0.1:4000.evil.example",
            "http://localhost:4001",
            "http://localhost:4000/",
            "file://",
            "http://evil.example:4000",
            "chrome-extension://x",
            "http://localhost:4000 http://evil.example",
        ];
        let bearer = format!("Bearer {TOKEN}");
        let mut cases = 0;
        let hosts =
            || GOOD_HOSTS.iter().map(|host| (host, true)).chain(BAD_HOSTS.iter().map(|host| (host, false)));
        let origins = || {
            GOOD_ORIGINS
                .iter()
                .map(|origin| (origin, true))
                .chain(BAD_ORIGINS.iter().map(|origin| (origin, false)))
        };
        for (host, good_host) in hosts() {
            let let_in = post(&[("host", host), ("authorization", &bearer)]).is_ok();
            assert_eq!(let_in, good_host, "{host}");
            cases += 1;
            for (origin, good_origin) in origins() {
                let both = [("host", *host), ("origin", *origin), ("authorization", &bearer)];
                assert_eq!(post(&both).is_ok(), good_host && good_origin, "{host} {origin}");
                cases += 1;
            }
        }
        for (origin, _) in origins() {
            assert_eq!(
                post(&[("origin", origin), ("authorization", &bearer)]),
                Err(Refusal::Foreign),
                "no host"
            );
            cases += 1;
        }
        println!("{cases} heads, none let in that should not be");
        assert!(cases > 200);
    }

    #[test]
    fn what_comes_twice_is_refused() {
        let bearer = format!("Bearer {TOKEN}");
        let host = ("host", "localhost:4000");
        let authorization = ("authorization", bearer.as_str());
        assert_eq!(post(&[host, authorization]), Ok(()));
        assert_eq!(post(&[host, ("host", "evil.example"), authorization]), Err(Refusal::Foreign));
        let origin = ("origin", "http://localhost:4000");
        assert_eq!(
            post(&[host, origin, ("origin", "http://evil.example"), authorization]),
            Err(Refusal::Foreign)
        );
        assert_eq!(post(&[host, authorization, ("authorization", "Bearer x")]), Err(Refusal::NoToken));
        assert_eq!(post(&[host, authorization, ("content-type", "text/plain")]), Err(Refusal::NotJson));
    }

    #[test]
    fn the_token_is_needed_and_json_and_the_path() {
        let host = ("host", "localhost:4000");
        for wrong in ["", "Bearer", "Bearer ", "Bearer 0123456789abcdeF", "Digest 0123456789abcdef", TOKEN] {
            assert_eq!(post(&[host, ("authorization", wrong)]), Err(Refusal::NoToken), "{wrong}");
        }
        assert_eq!(post(&[host]), Err(Refusal::NoToken));
        let bearer = format!("bearer {TOKEN}");
        let with = |kind: &str, method: Method, path: &'static str| {
            let fields = [host, ("authorization", bearer.as_str()), ("content-type", kind)];
            gate().admit(&method, &Uri::from_static(path), &head(&fields))
        };
        assert_eq!(with("application/json; charset=utf-8", Method::POST, "/mcp"), Ok(()));
        assert_eq!(with("text/plain", Method::POST, "/mcp"), Err(Refusal::NotJson));
        assert_eq!(with("application/jsonp", Method::POST, "/mcp"), Err(Refusal::NotJson));
        assert_eq!(with("", Method::GET, "/mcp"), Ok(()));
        assert_eq!(with("application/json", Method::POST, "/"), Err(Refusal::NoSuchPath));
        assert_eq!(with("application/json", Method::POST, "http://evil.example/mcp"), Err(Refusal::Foreign));
        assert_eq!(with("application/json", Method::POST, "http://localhost:4000/mcp"), Ok(()));
    }
}
