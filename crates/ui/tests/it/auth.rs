//! Who is let in. Each attack is the request of the page with one thing wrong, and the request as it is, the control, works.

use serde_json::json;
use toolcrib_testkit::{as_ordinary_user, is_ordinary_user};

use crate::client::{Page, follow, send};
use crate::served::Served;

type Headers = Vec<(String, String)>;

fn without(headers: &Headers, name: &str) -> Headers {
    headers.iter().filter(|(given, _)| given != name).cloned().collect()
}

fn with(headers: &Headers, name: &str, value: &str) -> Headers {
    let mut headers = without(headers, name);
    headers.push((name.to_owned(), value.to_owned()));
    headers
}

fn also(headers: &Headers, name: &str, value: &str) -> Headers {
    let mut headers = headers.clone();
    headers.push((name.to_owned(), value.to_owned()));
    headers
}

#[test]
fn a_link_opens_the_page_once() {
    let served = Served::start();
    let wrong = served.link.replace("key=", "key=0");
    assert_eq!(follow(&wrong).status, 401);
    let other_case = served.link.rsplit_once('=').map(|(head, key)| format!("{head}={}", key.to_uppercase()));
    assert_eq!(follow(&other_case.unwrap()).status, 401);
    let post = served.link.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let request = format!("POST /{} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", post.1, post.0);
    assert_eq!(send(post.0, request.as_bytes()).status, 405);

    let page = served.page();
    assert_eq!(page.get("/api/state").status, 200, "the control");
    for _ in 0..2 {
        let again = follow(&served.link);
        assert_eq!((again.status, again.header("set-cookie")), (401, ""));
        assert!(!String::from_utf8_lossy(&again.body).contains(&page.token));
    }
    assert_eq!(page.get("/api/state").status, 200, "who is in stays in");
}

#[test]
fn the_cookie_is_for_this_server_alone() {
    let served = Served::start();
    let reply = follow(&served.link);
    let cookie = reply.header("set-cookie");
    let port = served.link.rsplit_once(':').unwrap().1.split_once('/').unwrap().0;
    assert!(cookie.starts_with(&format!("toolcrib_{port}=")), "{cookie}");
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
    let (_, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
    let token = reply.header("location").strip_prefix("/#").unwrap();
    assert_eq!((value.len(), token.len()), (64, 64));
    assert_ne!(value, token);
    assert!(!served.link.contains(value) && !served.link.contains(token));
}

/// Every way of being somebody else, at an address that reads and at one that acts: no one gets in, and nothing is done.
#[test]
fn whoever_is_not_the_page_does_nothing() {
    let served = Served::start();
    let page = served.page();
    let body = |digest: &str| json!({"kind": "read", "pattern": "x/**", "action": "deny", "digest": digest});
    let preview =
        page.post("/api/rules/preview", &json!({"kind": "read", "pattern": "x/**", "action": "deny"}));
    assert_eq!(preview.status, 200, "the control: {}", String::from_utf8_lossy(&preview.body));
    let body = body(preview.json()["digest"].as_str().unwrap()).to_string();
    let before = std::fs::read_to_string(&served.configuration).unwrap();

    let (port, good) = (page.address.rsplit_once(':').unwrap().1.to_owned(), page.posting());
    let cookie_name = page.cookie.split_once('=').unwrap().0.to_owned();
    let mut attacks: Vec<(String, Headers)> = Vec::new();
    for host in [
        "evil.example",
        "evil.example:80",
        "127.0.0.1",
        "127.0.0.1:1",
        "[::1]",
        "0.0.0.0:1",
        "localhost.evil.example",
    ] {
        attacks.push((format!("host {host}"), with(&good, "Host", host)));
        attacks.push((format!("host {host} with our port"), with(&good, "Host", &format!("{host}:{port}"))));
    }
    attacks.retain(|(_, headers)| {
        let host = &headers.iter().find(|(name, _)| name == "Host").unwrap().1;
        ![&format!("127.0.0.1:{port}"), &format!("[::1]:{port}")].contains(&host)
    });
    attacks.push(("no host".to_owned(), without(&good, "Host")));
    attacks.push(("two hosts".to_owned(), also(&good, "Host", "evil.example")));
    for origin in [
        "null",
        "http://evil.example",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "file://",
        "",
        &format!("https://{}", page.address),
        &format!("http://{}.evil.example", page.address),
        // Our own name, and not the one that the request was sent to.
        &format!("http://localhost:{port}"),
    ] {
        attacks.push((format!("origin {origin}"), with(&good, "Origin", origin)));
    }
    attacks.push(("no origin".to_owned(), without(&good, "Origin")));
    attacks.push(("two origins".to_owned(), also(&good, "Origin", "http://evil.example")));
    for site in ["cross-site", "same-site", "none", "x"] {
        attacks.push((format!("site {site}"), with(&good, "Sec-Fetch-Site", site)));
    }
    let other = "0".repeat(64);
    attacks.push(("no cookie".to_owned(), without(&good, "Cookie")));
    attacks.push(("another cookie".to_owned(), with(&good, "Cookie", &format!("{cookie_name}={other}"))));
    attacks.push(("an empty cookie".to_owned(), with(&good, "Cookie", &format!("{cookie_name}="))));
    attacks.push(("the cookie twice".to_owned(), also(&good, "Cookie", &format!("{cookie_name}={other}"))));
    attacks.push(("half a cookie".to_owned(), with(&good, "Cookie", &page.cookie[..page.cookie.len() - 1])));
    attacks.push((
        "the token as cookie".to_owned(),
        with(&good, "Cookie", &format!("{cookie_name}={}", page.token)),
    ));
    attacks.push(("another name".to_owned(), with(&good, "Cookie", &page.cookie.replace("toolcrib_", "x"))));
    for token in ["", "1", &other, &page.token.to_uppercase(), &page.cookie, &page.token[..63]] {
        attacks.push((format!("token {token}"), with(&good, "X-Toolcrib", token)));
    }
    attacks.push(("no token".to_owned(), without(&good, "X-Toolcrib")));
    attacks.push(("two tokens".to_owned(), also(&good, "X-Toolcrib", "1")));
    let acting = attacks.len();
    // What a form of a foreign page can send without being asked about it first.
    for kind in
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/jsonp"]
    {
        attacks.push((format!("type {kind}"), with(&good, "Content-Type", kind)));
    }
    attacks.push(("no type".to_owned(), without(&good, "Content-Type")));
    attacks.push(("two types".to_owned(), also(&good, "Content-Type", "text/plain")));

    for (what, headers) in &attacks {
        let reply = page.request("POST", "/api/rules", headers, body.as_bytes());
        assert!(matches!(reply.status, 400 | 401 | 403 | 415), "{what}: {}", reply.status);
        assert_eq!(std::fs::read_to_string(&served.configuration).unwrap(), before, "{what}");
    }
    // To read, the origin need not be named, but must not be another.
    for (what, headers) in attacks[..acting].iter().filter(|(what, _)| what != "no origin") {
        if what.starts_with("origin http://localhost") {
            continue;
        }
        let reply = page.request("GET", "/api/state", headers, b"");
        assert!(matches!(reply.status, 400 | 401 | 403), "{what}: {}", reply.status);
        assert!(!String::from_utf8_lossy(&reply.body).contains("roots"), "{what}");
    }
    // The token in the address is for reading alone.
    let path = format!("/api/rules?token={}", page.token);
    assert_eq!(page.request("POST", &path, &without(&good, "X-Toolcrib"), body.as_bytes()).status, 401);

    let done = page.request("POST", "/api/rules", &good, body.as_bytes());
    assert_eq!(done.status, 200, "the control: {}", String::from_utf8_lossy(&done.body));
    assert_ne!(std::fs::read_to_string(&served.configuration).unwrap(), before, "the control");
    println!("{} attacks", 2 * attacks.len());
    assert!(attacks.len() > 45);
}

#[test]
fn nothing_is_done_by_a_get() {
    let served = Served::start();
    let page = served.page();
    for path in [
        "/api/rules/preview",
        "/api/undo",
        "/api/undo/preview",
        "/api/questions/1/answer",
        "/api/servers/1/calls/1/stop",
    ] {
        for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"] {
            let reply = page.request(method, path, &page.headers(), b"");
            assert!(matches!(reply.status, 404 | 405), "{method} {path}: {}", reply.status);
        }
    }
    let preflight = page.request("OPTIONS", "/api/rules", &[("Host".to_owned(), page.address.clone())], b"");
    assert_eq!(preflight.status, 401);
    assert_eq!(preflight.header("access-control-allow-origin"), "");
}

#[test]
fn every_answer_is_guarded() {
    let served = Served::start();
    let page = served.page();
    let nobody = Page { cookie: String::new(), token: String::new(), ..page.clone() };
    for reply in [
        page.get("/"),
        page.get("/api/state"),
        page.get("/api/nothing"),
        page.get("/nothing"),
        nobody.get("/api/state"),
        page.request("POST", "/", &page.headers(), b"{}"),
        page.request("GET", "/", &[("Host".to_owned(), "evil.example".to_owned())], b""),
    ] {
        let policy = reply.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"));
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert_eq!(reply.header("cache-control"), "no-store");
        assert_eq!(reply.header("referrer-policy"), "no-referrer");
        assert_eq!(reply.header("access-control-allow-origin"), "");
    }
    assert_eq!(page.get("/").header("content-type"), "text/html; charset=utf-8");
}

#[test]
fn assets_lead_nowhere_else() {
    let served = Served::start();
    let page = served.page();
    std::fs::write(served.root.join("secret.txt"), "secret").unwrap();
    let absolute = served.root.join("secret.txt").display().to_string();
    for path in [
        "/../secret.txt",
        "/assets/../../secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/assets/%00",
        "//etc/passwd",
        "/assets//etc/passwd",
        "/secret.txt",
        "/index.html/..",
        "/assets/",
        "/.git/config",
        absolute.as_str(),
    ] {
        let reply = page.get(path);
        assert!(matches!(reply.status, 400 | 404), "{path}: {}", reply.status);
        assert!(!String::from_utf8_lossy(&reply.body).contains("secret\n"), "{path}");
    }
}

#[test]
fn what_is_too_large_is_refused() {
    let served = Served::start();
    let page = served.page();
    let large = vec![b' '; 5 * 1024 * 1024];
    assert_eq!(page.request("POST", "/api/rules/preview", &page.posting(), &large).status, 413);
    let long = format!("/api/changes?q={}", "x".repeat(1 << 20));
    assert!(matches!(page.get(&long).status, 400 | 414 | 431));
    let deep = "[".repeat(200_000);
    assert_eq!(page.request("POST", "/api/rules/preview", &page.posting(), deep.as_bytes()).status, 400);
    assert_eq!(page.get("/api/state").status, 200, "it goes on");
}

/// A link shows in the list of processes while the browser is being started, and every user of the machine can read that.
#[test]
fn another_user_cannot_use_the_link() {
    let served = Served::start();
    if !is_ordinary_user() {
        let refused = as_ordinary_user(|| follow(&served.link));
        assert_eq!((refused.status, refused.header("set-cookie")), (403, ""), "{refused:?}");
    }
    assert_eq!(
        served.page().get("/api/state").status,
        200,
        "the control: the link is still good, for its owner"
    );
}
