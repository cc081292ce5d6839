//! Words of the template language.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Something is wrong; [`super::lexer::Lexer::message`] says what.
    Error,
    End,
    Text,
    LeftDelimiter,
    RightDelimiter,
    Space,
    /// A character with no other meaning, such as a comma.
    Char,
    Assign,
    Declare,
    Pipe,
    LeftParen,
    RightParen,
    Bool,
    CharConstant,
    Number,
    Complex,
    String,
    RawString,
    Identifier,
    Field,
    Variable,
    Dot,
    Nil,
    Keyword(Keyword),
}

/// Words that begin or end actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyword {
    Block,
    Break,
    Continue,
    Define,
    Else,
    End,
    If,
    Range,
    Template,
    With,
}

impl Keyword {
    pub fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"block" => Keyword::Block,
            b"break" => Keyword::Break,
            b"continue" => Keyword::Continue,
            b"define" => Keyword::Define,
            b"else" => Keyword::Else,
            b"end" => Keyword::End,
            b"if" => Keyword::If,
            b"range" => Keyword::Range,
            b"template" => Keyword::Template,
            b"with" => Keyword::With,
            _ => return None,
        })
    }
}

/// A token and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

impl Token {
    /// A keyword, or nil or the dot, which messages show as keywords.
    pub fn is_word(self) -> bool {
        matches!(self.kind, Kind::Keyword(_) | Kind::Nil | Kind::Dot)
    }
}
