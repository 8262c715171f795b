//! The names under which a server on the loopback interface is meant.

use std::net::SocketAddr;

use hyper::Uri;
use hyper::header::{HOST, HeaderMap, ORIGIN};

/// Under which names clients mean this server, and from where pages of its own send requests.
///
/// A web page can make a browser send requests here, and can have its own name lead here (DNS rebinding). Both show:
/// the first in `Origin`, the second in `Host`.
#[derive(Clone, Debug)]
pub struct OwnNames {
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl OwnNames {
    /// Those of a server that listens on this address.
    #[must_use]
    pub fn new(address: SocketAddr) -> Self {
        let port = address.port();
        let hosts = ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("{host}:{port}"));
        let origins = hosts.iter().map(|host| format!("http://{host}")).collect();
        Self { hosts: hosts.into(), origins }
    }

    /// What `Host` may say.
    #[must_use]
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// What `Origin` may say.
    #[must_use]
    pub fn origins(&self) -> &[String] {
        &self.origins
    }

    /// Whether a request is meant for this server, and no foreign web page has sent it.
    #[must_use]
    pub fn are_meant_by(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        headers.get_all(HOST).iter().count() == 1
            && headers.get_all(HOST).iter().all(|host| is_one_of(host.as_bytes(), &self.hosts))
            && uri.authority().is_none_or(|host| is_one_of(host.as_str().as_bytes(), &self.hosts))
            && headers.get_all(ORIGIN).iter().all(|origin| is_one_of(origin.as_bytes(), &self.origins))
    }
}

fn is_one_of(given: &[u8], allowed: &[String]) -> bool {
    allowed.iter().any(|allowed| given.eq_ignore_ascii_case(allowed.as_bytes()))
}
