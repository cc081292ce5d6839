//! URLs, and what Go 1.26 makes of them.

use gourl::{Url, User};

/// Scheme, opaque part, user, host, host without port, path, query, fragment, and
/// how it is written again.
const READ: [(&str, &str); 26] = [
    (
        "https://user:p%40ss@Host.example.com:8443/a%2Fb/c%20d?x=1&y#frag%20ment",
        "https||user:p%40ss|Host.example.com:8443|Host.example.com|/a/b/c d|x=1&y|frag ment|https://user:p%40ss@Host.example.com:8443/a%2Fb/c%20d?x=1&y#frag%20ment",
    ),
    ("http://h/", "http|||h|h|/|||http://h/"),
    ("HTTP://h", "http|||h|h||||http://h"),
    ("mailto:a@b.c", "mailto|a@b.c|||||||mailto:a@b.c"),
    ("//h/p", "|||h|h|/p|||//h/p"),
    ("///p", "|||||///p|||///p"),
    ("/p:q", "|||||/p:q|||/p:q"),
    ("a:b", "a|b|||||||a:b"),
    ("a/b:c", "|||||a/b:c|||a/b:c"),
    ("*", "|||||*|||*"),
    ("", "||||||||"),
    (
        "http://[::1]:80/x",
        "http|||[::1]:80|::1|/x|||http://[::1]:80/x",
    ),
    (
        "http://[fe80::1%25en0]/",
        "http|||[fe80::1%en0]|fe80::1%en0|/|||http://[fe80::1%25en0]/",
    ),
    (
        "postgres://h1:1,h2:2/db",
        "postgres|||h1:1,h2:2|h1:1,h2|/db|||postgres://h1:1,h2:2/db",
    ),
    ("http://a%C3%A9/", "http|||aé|aé|/|||http://a%C3%A9/"),
    ("http://u@v@h/", "http||u%40v|h|h|/|||http://u%40v@h/"),
    ("file:/etc/x", "file|||||/etc/x|||file:/etc/x"),
    ("x:///p", "x|||||/p|||x:///p"),
    ("http://h?", "http|||h|h||||http://h?"),
    ("http://h/?a#", "http|||h|h|/|a||http://h/?a"),
    ("./a:b", "|||||./a:b|||./a:b"),
    ("http://h/é", "http|||h|h|/é|||http://h/%C3%A9"),
    ("http://h/(a)!*'", "http|||h|h|/(a)!*'|||http://h/(a)!*'"),
    ("x:%zz", "x|%zz|||||||x:%zz"),
    ("#f(!)*", "|||||||f(!)*|#f(!)*"),
    ("http://h/a+b%2B", "http|||h|h|/a+b+|||http://h/a+b%2B"),
];

const REFUSED: [(&str, &str); 14] = [
    ("1a:b", "first path segment in URL cannot contain colon"),
    (":x", "missing protocol scheme"),
    ("http://[1.2.3.4]/", "invalid IP-literal"),
    ("http://[::1", "missing ']' in host"),
    ("http://a[b]", "invalid IP-literal"),
    ("http://h:x/", "invalid port \":x\" after host"),
    ("http://h1:1,h2:2/", "invalid port \":1,h2:2\" after host"),
    ("http://h/%zz", "invalid URL escape \"%zz\""),
    ("http://h/%4", "invalid URL escape \"%4\""),
    ("http://a%41/", "invalid URL escape \"%41\""),
    ("http://a b/", "invalid character \" \" in host name"),
    ("http://u^@h/", "net/url: invalid userinfo"),
    ("${A}:b", "first path segment in URL cannot contain colon"),
    ("#%zz", "invalid URL escape \"%zz\""),
];

fn quote(text: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(text))
}

#[test]
fn urls_are_taken_apart_and_written_again() {
    for (text, expected) in READ {
        let url = Url::parse(text.as_bytes()).unwrap();
        let user = url.user.as_ref().map(User::text).unwrap_or_default();
        let parts = [
            &url.scheme,
            &url.opaque,
            &user,
            &url.host,
            url.hostname(),
            &url.path,
            &url.query,
            &url.fragment,
            &url.text(),
        ];
        let parts = parts.map(|part| String::from_utf8_lossy(part).into_owned());
        assert_eq!(parts.join("|"), expected, "{text}");
    }
}

#[test]
fn what_is_wrong_is_told_as_go_does() {
    for (text, expected) in REFUSED {
        let (fault, _) = Url::parse(text.as_bytes()).unwrap_err();
        assert_eq!(fault.message(quote), expected, "{text}");
    }
}

#[test]
fn parts_are_put_together() {
    let text = |url: Url| String::from_utf8(url.text()).unwrap();
    let mut url = Url::default();
    url.scheme = b"https".to_vec();
    url.host = b"example.com".to_vec();
    url.path = b"a b".to_vec();
    url.query = b"q=1".to_vec();
    assert_eq!(text(url), "https://example.com/a%20b?q=1");
    let mut relative = Url::default();
    relative.path = b"a:b/c".to_vec();
    assert_eq!(text(relative), "./a:b/c");
}
