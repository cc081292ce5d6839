//! Text from a repository, made harmless for the language it is put into.
//! Control characters are shown, never passed on.

use crate::wording::clean;

/// For XML and HTML, in text and in quoted attributes.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in clean(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML 1.0 has no way to write these two.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Text of several lines for XML and HTML.
pub(crate) fn xml_lines(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(xml).collect();
    lines.join("\n")
}

/// A sentence whose names are in backquotes, as HTML.
pub(crate) fn html(text: &str) -> String {
    pieces(text)
        .map(|piece| match piece {
            Piece::Code(code) => format!("<code>{}</code>", xml(code)),
            Piece::Plain(plain) => xml(plain),
        })
        .collect()
}

/// The same for HTML that a forge reads: its names are no mentions.
pub(crate) fn html_in_markdown(text: &str) -> String {
    html(text).replace('@', "@<!-- -->")
}

/// A sentence whose names are in backquotes, as Markdown. Nothing in it can
/// make a link, a tag, a mention or a table cell of its own.
pub(crate) fn markdown(text: &str) -> String {
    pieces(text)
        .map(|piece| match piece {
            Piece::Code(text) => code(text),
            Piece::Plain(plain) => markdown_plain(plain),
        })
        .collect()
}

/// A name as Markdown code.
pub(crate) fn code(text: &str) -> String {
    let text = clean(text);
    // A table would end its cell at a bar, even within code.
    if text.contains(['`', '|']) || text.is_empty() {
        return format!("<code>{}</code>", markdown_plain(&text));
    }
    format!("`{text}`")
}

fn markdown_plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in clean(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Forges look for mentions and references in what is rendered.
            '@' => out.push_str("@<!-- -->"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '~' | '!' | '$' => {
                out.push('\\');
                out.push(character);
            }
            c => out.push(c),
        }
    }
    // Addresses are made links without being asked for it.
    out.replace("://", ":<!-- -->//")
        .replace("www.", "www<!-- -->.")
}

/// Text of several lines as a Markdown code block.
pub(crate) fn code_block(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(clean).collect();
    let text = lines.join("\n");
    let mut fence = String::from("```");
    while text.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}text\n{text}\n{fence}\n")
}

/// The message of a GitHub workflow command. Line breaks are kept.
pub(crate) fn github_message(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(clean).collect();
    lines.join("\n").replace('%', "%25").replace('\n', "%0A")
}

/// A property of a GitHub workflow command.
pub(crate) fn github_property(text: &str) -> String {
    github_message(text).replace(':', "%3A").replace(',', "%2C")
}

/// A line of a log in which the runner sees no command: one of the older form
/// may stand anywhere in a line.
pub(crate) fn github_log(text: &str) -> String {
    let text = clean(text).replace("##[", "## [");
    match text.trim_start().starts_with("::") {
        true => format!("- {text}"),
        false => text,
    }
}

/// A path as a URI reference (RFC 3986).
pub(crate) fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

enum Piece<'a> {
    Plain(&'a str),
    Code(&'a str),
}

/// Text in backquotes, and what is between. A last quote without a partner is
/// plain.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let parts: Vec<&str> = text.split('`').collect();
    let unpaired = parts.len().is_multiple_of(2);
    let last = parts.len() - 1;
    parts.into_iter().enumerate().map(move |(at, part)| {
        match at % 2 == 1 && !(unpaired && at == last) {
            true => Piece::Code(part),
            false => Piece::Plain(part),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_stays_text() {
        assert_eq!(xml("<a b='\u{1b}'>&"), "&lt;a b=&#39;\\u{1b}&#39;&gt;&amp;");
        assert_eq!(html("`a<b` is <c>"), "<code>a&lt;b</code> is &lt;c&gt;");
        assert_eq!(
            markdown("`a|b` [x](y) @me"),
            "<code>a\\|b</code> \\[x\\](y) @<!-- -->me"
        );
        assert_eq!(markdown("an odd ` quote"), "an odd  quote");
        assert_eq!(code_block("a\n```\nb"), "````text\na\n```\nb\n````\n");
    }

    #[test]
    fn no_command_can_be_smuggled_into_a_log() {
        assert_eq!(github_message("50%\n::error::x\r"), "50%25%0A::error::x ");
        assert_eq!(github_property("a:b,c"), "a%3Ab%2Cc");
        assert_eq!(github_log("x ##[set-env]"), "x ## [set-env]");
        assert_eq!(github_log(" ::stop"), "-  ::stop");
    }

    #[test]
    fn paths_are_uris() {
        assert_eq!(uri("a b/ä#1.yaml"), "a%20b/%C3%A4%231.yaml");
    }
}
