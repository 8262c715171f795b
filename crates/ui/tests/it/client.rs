//! A browser as far as these tests need one, which can also send what no browser would.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }
}

/// Sends a request as it is written, and reads the answer to its end.
pub(crate) fn send(address: &str, request: &[u8]) -> Reply {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    // A server that refuses a large request need not read all of it.
    _ = stream.write_all(request);
    read(&mut BufReader::new(stream), request.starts_with(b"HEAD "))
}

fn read(stream: &mut BufReader<TcpStream>, is_head_alone: bool) -> Reply {
    let (status, headers) = head(stream);
    let mut reply = Reply { status, headers, body: Vec::new() };
    match reply.header("content-length").parse() {
        _ if is_head_alone => {}
        Ok(length) => {
            reply.body.resize(length, 0);
            stream.read_exact(&mut reply.body).unwrap();
        }
        Err(_) => _ = stream.read_to_end(&mut reply.body),
    }
    reply
}

fn head(stream: &mut BufReader<TcpStream>) -> (u16, Vec<(String, String)>) {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("no answer: {line:?}")).parse().unwrap();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        let line = line.trim_end();
        if line.is_empty() {
            return (status, headers);
        }
        let (name, value) = line.split_once(": ").unwrap();
        headers.push((name.to_owned(), value.to_owned()));
    }
}

/// A page that is signed in.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) address: String,
    pub(crate) cookie: String,
    pub(crate) token: String,
}

impl Page {
    /// Opens the page as a browser does: the key becomes a cookie and a token.
    pub(crate) fn open(link: &str) -> Self {
        let (address, _) = link.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let reply = follow(link);
        assert_eq!(reply.status, 303, "{reply:?}");
        let cookie = reply.header("set-cookie").split(';').next().unwrap().to_owned();
        let token = reply.header("location").strip_prefix("/#").unwrap().to_owned();
        Self { address: address.to_owned(), cookie, token }
    }

    /// The headers of a request by the page itself.
    pub(crate) fn headers(&self) -> Vec<(String, String)> {
        let headers = [
            ("Host", self.address.clone()),
            ("Cookie", self.cookie.clone()),
            ("X-Toolcrib", self.token.clone()),
            ("Sec-Fetch-Site", "same-origin".to_owned()),
        ];
        headers.map(|(name, value)| (name.to_owned(), value)).into()
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.request("GET", path, &self.headers(), b"")
    }

    /// The answer in JSON of a request that is carried out.
    pub(crate) fn load(&self, path: &str) -> Value {
        let reply = self.get(path);
        assert_eq!(reply.status, 200, "{path}: {}", String::from_utf8_lossy(&reply.body));
        reply.json()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        self.request("POST", path, &self.posting(), body.to_string().as_bytes())
    }

    /// The headers of a change by the page itself.
    pub(crate) fn posting(&self) -> Vec<(String, String)> {
        let mut headers = self.headers();
        headers.push(("Origin".to_owned(), format!("http://{}", self.address)));
        headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
        headers
    }

    /// Any request.
    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Reply {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n").into_bytes();
        for (name, value) in headers {
            request.extend(format!("{name}: {value}\r\n").as_bytes());
        }
        if !body.is_empty() || method == "POST" {
            request.extend(format!("Content-Length: {}\r\n", body.len()).as_bytes());
        }
        request.extend(b"\r\n");
        request.extend(body);
        send(&self.address, &request)
    }

    /// Listens to events, from where it was before if it was.
    pub(crate) fn events(&self, after: Option<u64>, last: Option<&str>) -> Events {
        let after = after.map(|after| format!("&after={after}")).unwrap_or_default();
        let last = last.map(|last| format!("Last-Event-ID: {last}\r\n")).unwrap_or_default();
        let request = format!(
            "GET /api/events?token={}{after} HTTP/1.1\r\nHost: {}\r\nCookie: {}\r\n{last}\r\n",
            self.token, self.address, self.cookie
        );
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut stream = BufReader::new(stream);
        let (status, headers) = head(&mut stream);
        assert_eq!(status, 200, "{headers:?}");
        Events { stream, text: Vec::new() }
    }
}

/// Opens a link.
pub(crate) fn follow(link: &str) -> Reply {
    let (address, path) = link.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    send(address, request.as_bytes())
}

/// Events as they come.
pub(crate) struct Events {
    stream: BufReader<TcpStream>,
    text: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
    pub(crate) data: Value,
}

impl Events {
    /// The next event.
    pub(crate) fn next(&mut self) -> Event {
        loop {
            if let Some(end) = self.text.windows(2).position(|pair| pair == b"\n\n") {
                let event: Vec<u8> = self.text.drain(..end + 2).collect();
                let event = String::from_utf8(event).unwrap();
                let field = |name: &str| {
                    let lines = event.lines().filter_map(|line| line.strip_prefix(&format!("{name}: ")));
                    lines.map(str::to_owned).next()
                };
                let data = serde_json::from_str(&field("data").unwrap()).unwrap();
                return Event { name: field("event").unwrap(), id: field("id"), data };
            }
            self.chunk();
        }
    }

    /// The next event of this name.
    pub(crate) fn named(&mut self, name: &str) -> Event {
        loop {
            let event = self.next();
            if event.name == name {
                return event;
            }
        }
    }

    fn chunk(&mut self) {
        let mut size = String::new();
        self.stream.read_line(&mut size).unwrap();
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or_else(|_| panic!("no chunk: {size:?}"));
        assert_ne!(size, 0, "the events ended");
        let mut chunk = vec![0; size + 2];
        self.stream.read_exact(&mut chunk).unwrap();
        self.text.extend(&chunk[..size]);
    }
}
