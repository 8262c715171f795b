//! Who is let in: decided by the head of a request alone, before anything of it is parsed.
//!
//! Every user of the machine can connect, and every web page can make the browser send requests. So each request must be meant
//! for this server (`Host`), come from no other page (`Origin`, `Sec-Fetch-Site`), and bring two secrets: a cookie, which a script
//! cannot read, and a token, which only pages of this server have. Cookies are not separated by port, so a server of another
//! user on another port could be sent ours; it is not sent the token.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

use hyper::header::{COOKIE, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::{Method, StatusCode, Uri};
use toolcrib_loopback::{OwnNames, is_json, only, secret};

use crate::answer::Refusal;
use crate::query::Query;

pub(crate) struct Gate {
    names: OwnNames,
    cookie_name: String,
    cookie: String,
    token: String,
    /// Opens the page once.
    key: Mutex<Option<String>>,
}

/// What a key opens.
pub(crate) struct Opened {
    /// For `Set-Cookie`.
    pub(crate) cookie: String,
    /// For `Location`. What follows `#` stays in the browser, and gets into no log.
    pub(crate) location: String,
}

impl Gate {
    /// The gate of a server at this address, and the key that opens it once.
    pub(crate) fn new(address: SocketAddr) -> (Self, String) {
        let key = secret::random();
        let gate = Self {
            names: OwnNames::new(address),
            cookie_name: format!("toolcrib_{}", address.port()),
            cookie: secret::random(),
            token: secret::random(),
            key: Mutex::new(Some(key.clone())),
        };
        (gate, key)
    }

    /// Whether a request is meant for this server and no foreign page sent it.
    pub(crate) fn is_meant(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        self.names.are_meant_by(uri, headers)
    }

    /// Takes the key, which is worth nothing afterwards.
    pub(crate) fn open(&self, key: &str) -> Option<Opened> {
        let mut expected = self.key.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = expected.as_ref().is_some_and(|own| secret::same(own.as_bytes(), key.as_bytes()));
        fits.then(|| *expected = None)?;
        let Self { cookie_name, cookie, token, .. } = self;
        Some(Opened {
            cookie: format!("{cookie_name}={cookie}; Path=/; HttpOnly; SameSite=Strict"),
            location: format!("/#{token}"),
        })
    }

    /// Lets a request of the page in.
    pub(crate) fn admit(&self, method: &Method, query: &Query, headers: &HeaderMap) -> Result<(), Refusal> {
        if headers.get_all("sec-fetch-site").iter().any(|site| site != "same-origin") {
            return Err(foreign("Another page sent this request"));
        }
        if !self.has_cookie(headers) || !self.has_token(method, query, headers) {
            return Err(unauthorized());
        }
        if *method == Method::POST {
            if !comes_from_own_page(headers) {
                return Err(foreign("A change is requested by the page itself: Origin must be its address"));
            }
            if !is_json(headers) {
                let message = "Send Content-Type: application/json";
                return Err(Refusal::new(
                    StatusCode::UNSUPPORTED_MEDIA_TYPE,
                    "unsupported_media_type",
                    message,
                ));
            }
        }
        Ok(())
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let sent = headers.get_all(COOKIE).iter();
        let pairs = sent.flat_map(|line| line.as_bytes().split(|byte| *byte == b';').map(<[u8]>::trim_ascii));
        let mut own =
            pairs.filter_map(|pair| pair.strip_prefix(self.cookie_name.as_bytes())?.strip_prefix(b"="));
        let (Some(only), None) = (own.next(), own.next()) else { return false };
        secret::same(only, self.cookie.as_bytes())
    }

    /// In a header, or in the address of events: a browser lets no script add a header to those.
    fn has_token(&self, method: &Method, query: &Query, headers: &HeaderMap) -> bool {
        let given = match headers.contains_key(&TOKEN) {
            true => only(headers, &TOKEN),
            false if *method == Method::GET => query.get("token").map(str::as_bytes),
            false => None,
        };
        given.is_some_and(|given| secret::same(given, self.token.as_bytes()))
    }
}

/// The header with the page's token.
static TOKEN: HeaderName = HeaderName::from_static("x-toolcrib");

/// Whether `Origin` is the very address that the request was sent to.
fn comes_from_own_page(headers: &HeaderMap) -> bool {
    let (Some(origin), Some(host)) = (only(headers, ORIGIN), only(headers, HOST)) else { return false };
    origin.strip_prefix(b"http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host))
}

/// What a request is answered that is not meant for this server.
pub(crate) fn foreign(message: &str) -> Refusal {
    Refusal::new(StatusCode::FORBIDDEN, "foreign", message)
}

fn unauthorized() -> Refusal {
    Refusal::new(StatusCode::UNAUTHORIZED, "unauthorized", "This page is not signed in")
        .hint("run `toolcrib ui` again and open the link that it shows")
}
