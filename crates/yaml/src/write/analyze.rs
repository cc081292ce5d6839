//! Which styles a scalar may be written in.

/// What was found in a scalar's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Analysis {
    pub multiline: bool,
    pub flow_plain: bool,
    pub block_plain: bool,
    pub single_quoted: bool,
    pub block: bool,
}

/// Whether the emitters write the character as it is.
pub(crate) fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{A0}'..='\u{FFFD}') && c != '\u{FEFF}'
}

/// The characters the emitters treat as line breaks.
pub(crate) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}

/// Characters of plain words: none of them means anything inside a scalar.
static WORD: [bool; 256] = word_bytes();

const fn word_bytes() -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = b' ';
    while byte <= b'~' {
        table[byte as usize] =
            !matches!(byte, b',' | b'?' | b'[' | b']' | b'{' | b'}' | b':' | b'#');
        byte += 1;
    }
    table
}

/// Whether a text is nothing but words, so that every style will do.
fn is_words(text: &str) -> bool {
    let bytes = text.as_bytes();
    let starts = matches!(
        bytes,
        [
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'_' | b'$',
            ..,
        ]
    );
    starts && bytes.last() != Some(&b' ') && bytes.iter().all(|byte| WORD[usize::from(*byte)])
}

/// Looks a scalar over. A tab rules out block scalars in the older emitter
/// only (`tabs_in_blocks` is false there).
pub(crate) fn analyze(text: &str, tabs_in_blocks: bool) -> Analysis {
    if text.is_empty() {
        return Analysis {
            multiline: false,
            flow_plain: false,
            block_plain: true,
            single_quoted: true,
            block: false,
        };
    }
    if is_words(text) {
        return Analysis {
            multiline: false,
            flow_plain: true,
            block_plain: true,
            single_quoted: true,
            block: true,
        };
    }
    let marker = text.starts_with("---") || text.starts_with("...");
    let mut seen = Seen {
        flow: marker,
        block: marker,
        ..Seen::default()
    };
    let mut before = None;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let next = characters.peek().copied();
        seen.indicator(before, c, next);
        seen.space(before, c, next.is_none());
        if c == '\t' {
            seen.tab = true;
        } else if !is_printable(c) {
            seen.special = true;
        }
        before = Some(c);
    }
    seen.verdict(tabs_in_blocks)
}

#[derive(Default)]
struct Seen {
    /// Characters that mean something in flow, or block, context.
    flow: bool,
    block: bool,
    breaks: bool,
    special: bool,
    tab: bool,
    edge: bool,
    trailing_space: bool,
    break_then_space: bool,
    space_then_break: bool,
}

impl Seen {
    fn indicator(&mut self, before: Option<char>, c: char, next: Option<char>) {
        let blank_next = next.is_none_or(is_blank);
        let Some(before) = before else {
            match c {
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"'
                | '%' | '@' | '`' => {
                    self.flow = true;
                    self.block = true;
                }
                '?' | ':' => {
                    self.flow = true;
                    self.block |= blank_next;
                }
                '-' if blank_next => {
                    self.flow = true;
                    self.block = true;
                }
                _ => {}
            }
            return;
        };
        match c {
            ',' | '?' | '[' | ']' | '{' | '}' => self.flow = true,
            ':' => {
                self.flow = true;
                self.block |= blank_next;
            }
            '#' if is_blank(before) || is_break(before) || before == '\0' => {
                self.flow = true;
                self.block = true;
            }
            _ => {}
        }
    }

    fn space(&mut self, before: Option<char>, c: char, last: bool) {
        let first = before.is_none();
        if c == ' ' {
            self.edge |= first || last;
            self.trailing_space |= last;
            self.break_then_space |= before.is_some_and(is_break);
        } else if is_break(c) {
            self.breaks = true;
            self.edge |= first || last;
            self.space_then_break |= before == Some(' ');
        }
    }

    fn verdict(&self, tabs_in_blocks: bool) -> Analysis {
        let escapes = self.space_then_break || self.special;
        let quotable = !(self.break_then_space || escapes || self.tab);
        let plain = quotable && !self.edge && !self.breaks;
        Analysis {
            multiline: self.breaks,
            flow_plain: plain && !self.flow,
            block_plain: plain && !self.block,
            single_quoted: quotable,
            block: !self.trailing_space && !escapes && (tabs_in_blocks || !self.tab),
        }
    }
}
