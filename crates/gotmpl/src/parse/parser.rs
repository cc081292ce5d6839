//! Actions and their blocks.
//!
//! Open blocks are a list, not the stack: no text can nest too deep here.

use std::sync::Arc;

use super::ast::{Ast, Branch, Id, Kind as Node, Name, Span};
use super::lexer::Lexer;
use super::token::{Keyword, Kind, Token};
use crate::error::Error;
use crate::strconv::{quote, unquote};
use crate::template::Functions;
use crate::unicode;

/// What parsing depends on beside the text.
pub(crate) struct Settings<'s> {
    pub functions: &'s Functions,
    pub left: &'s [u8],
    pub right: &'s [u8],
}

/// A template that a text defines: its name and nodes.
pub(crate) struct Parsed {
    pub name: Name,
    pub list: Span,
    pub is_empty: bool,
}

/// Parses a text: the nodes, and the templates it defines, itself included.
pub(crate) fn parse(
    name: &str,
    source: Arc<[u8]>,
    settings: &Settings<'_>,
) -> Result<(Ast, Vec<Parsed>), Error> {
    if u32::try_from(source.len()).is_err() {
        return Err(Error::parse(
            name,
            1,
            "the text is longer than 4 GiB".to_owned(),
        ));
    }
    let text = source.clone();
    let mut parser = Parser::new(name, &text, source, settings);
    match parser.file() {
        Ok(()) => Ok((parser.ast, parser.templates)),
        Err(message) => Err(Error::parse(name, parser.line(parser.last.start), message)),
    }
}

/// A message; its line is that of the token that was read last.
pub(super) type Fault = String;

pub(super) struct Parser<'t> {
    lexer: Lexer<'t>,
    source: &'t [u8],
    pub(super) settings: &'t Settings<'t>,
    pub(super) ast: Ast,
    /// Tokens that were read and given back, the next one last.
    ahead: Vec<Token>,
    last: Token,
    /// Names of variables that are known here.
    pub(super) known: Vec<u32>,
    /// Parentheses that are open.
    pub(super) parens: usize,
    loops: usize,
    /// Where the action began that is being read.
    action: Option<u32>,
    open: Vec<Open>,
    templates: Vec<Parsed>,
}

/// A block that is not closed yet.
struct Open {
    block: Block,
    nodes: Vec<Id>,
    /// The nodes before `else`, if that was met.
    before_else: Option<Vec<Id>>,
    /// `else if`: what closes this block closes the one around it.
    chained: bool,
    /// Variables that were known outside.
    known: usize,
}

enum Block {
    Root,
    Define {
        name: Name,
        outer: Outer,
    },
    Inline {
        name: Name,
        pipe: Id,
        at: u32,
        outer: Outer,
    },
    If(Id),
    With(Id),
    Range(Id),
}

/// What a definition hides of the text around it.
struct Outer {
    known: Vec<u32>,
    loops: usize,
    parens: usize,
    action: Option<u32>,
}

impl<'t> Parser<'t> {
    fn new(name: &str, text: &'t [u8], source: Arc<[u8]>, settings: &'t Settings<'t>) -> Self {
        let functions = settings.functions;
        let lexer = Lexer::new(text, settings.left, settings.right)
            .plain(functions.has("break"), functions.has("continue"));
        let ast = Ast {
            name: Arc::from(name),
            source,
            variables: vec![Arc::from(&b"$"[..])],
            ..Ast::default()
        };
        Parser {
            lexer,
            source: text,
            settings,
            ast,
            ahead: Vec::new(),
            last: Token {
                kind: Kind::End,
                start: 0,
                end: 0,
            },
            known: vec![super::ast::ROOT],
            parens: 0,
            loops: 0,
            action: None,
            open: Vec::new(),
            templates: Vec::new(),
        }
    }

    // Tokens.

    pub(super) fn next(&mut self) -> Token {
        if let Some(token) = self.ahead.pop() {
            return token;
        }
        self.last = self.lexer.next();
        self.last
    }

    pub(super) fn give_back(&mut self, token: Token) {
        self.ahead.push(token);
    }

    pub(super) fn peek(&mut self) -> Token {
        let token = self.next();
        self.give_back(token);
        token
    }

    pub(super) fn next_word(&mut self) -> Token {
        loop {
            let token = self.next();
            if token.kind != Kind::Space {
                return token;
            }
        }
    }

    pub(super) fn peek_word(&mut self) -> Token {
        let token = self.next_word();
        self.give_back(token);
        token
    }

    pub(super) fn text(&self, token: Token) -> &'t [u8] {
        let range = token.start as usize..token.end as usize;
        self.source.get(range).unwrap_or_default()
    }

    pub(super) fn line(&self, at: u32) -> usize {
        self.ast.line_column(at).0
    }

    fn expect(&mut self, kind: Kind, context: &str) -> Result<Token, Fault> {
        let token = self.next_word();
        match token.kind == kind {
            true => Ok(token),
            false => Err(self.unexpected(token, context)),
        }
    }

    pub(super) fn unexpected(&self, token: Token, context: &str) -> Fault {
        if token.kind != Kind::Error {
            return format!("unexpected {} in {context}", self.shown(token));
        }
        let message = self.lexer.message();
        let started = self.action.map(|at| self.line(at));
        match started.filter(|line| *line != self.line(token.start)) {
            None => message.to_owned(),
            Some(line) if message.ends_with(" action") => {
                format!("{message} started at {}:{line}", self.ast.name)
            }
            Some(line) => format!("{message} in action started at {}:{line}", self.ast.name),
        }
    }

    /// A token as messages show it.
    fn shown(&self, token: Token) -> String {
        let text = self.text(token);
        match token.kind {
            Kind::End => "EOF".to_owned(),
            _ if token.is_word() => format!("<{}>", crate::unicode::text(text)),
            _ if text.len() > 10 => {
                let short: Vec<u8> = unicode::runes(text)
                    .take(10)
                    .flat_map(|(_, b)| b)
                    .copied()
                    .collect();
                format!("{}...", quote(&short))
            }
            _ => quote(text),
        }
    }

    // Blocks.

    fn file(&mut self) -> Result<(), Fault> {
        self.begin(Block::Root, false, self.known.len());
        while let Some(open) = self.open.last() {
            let root = matches!(open.block, Block::Root);
            let token = self.next_word();
            match token.kind {
                Kind::End if root => return self.finish_root(),
                Kind::End => return Err("unexpected EOF".to_owned()),
                Kind::LeftDelimiter if root && self.is_define() => self.define()?,
                Kind::LeftDelimiter => {
                    self.action = Some(token.start);
                    self.action()?;
                }
                Kind::Text => {
                    let text = self.ast.push(token.start, Node::Text { end: token.end });
                    self.add(text);
                }
                _ => return Err(self.unexpected(token, "input")),
            }
        }
        Ok(())
    }

    fn begin(&mut self, block: Block, chained: bool, known: usize) {
        self.open.push(Open {
            block,
            nodes: Vec::new(),
            before_else: None,
            chained,
            known,
        });
    }

    fn add(&mut self, node: Id) {
        if let Some(open) = self.open.last_mut() {
            open.nodes.push(node);
        }
    }

    fn is_define(&mut self) -> bool {
        let token = self.next_word();
        let found = token.kind == Kind::Keyword(Keyword::Define);
        if !found {
            self.give_back(token);
        }
        found
    }

    fn define(&mut self) -> Result<(), Fault> {
        const CONTEXT: &str = "define clause";
        let outer = self.hide();
        let token = self.next_word();
        let name = self.template_name(token, CONTEXT)?;
        self.expect(Kind::RightDelimiter, CONTEXT)?;
        let known = self.known.len();
        self.begin(Block::Define { name, outer }, false, known);
        Ok(())
    }

    fn hide(&mut self) -> Outer {
        Outer {
            known: std::mem::replace(&mut self.known, vec![super::ast::ROOT]),
            loops: std::mem::take(&mut self.loops),
            parens: std::mem::take(&mut self.parens),
            action: self.action.take(),
        }
    }

    fn show_again(&mut self, outer: Outer) {
        self.known = outer.known;
        self.loops = outer.loops;
        self.parens = outer.parens;
        self.action = outer.action;
    }

    /// An action behind its left delimiter.
    fn action(&mut self) -> Result<(), Fault> {
        let token = self.next_word();
        let Kind::Keyword(keyword) = token.kind else {
            self.give_back(token);
            let pipe = self.pipeline("command", Kind::RightDelimiter)?;
            let action = self.ast.push(token.start, Node::Action(pipe));
            self.add(action);
            self.action = None;
            return Ok(());
        };
        match keyword {
            Keyword::If => return self.control("if", false, Block::If),
            Keyword::With => return self.control("with", false, Block::With),
            Keyword::Range => {
                self.control("range", false, Block::Range)?;
                self.loops += 1;
                return Ok(());
            }
            Keyword::Block => return self.block(),
            Keyword::Else => return self.otherwise(),
            Keyword::End => {
                self.expect(Kind::RightDelimiter, "end")?;
                self.close()?;
            }
            Keyword::Template => self.template()?,
            Keyword::Break => self.leave(token, "{{break}}", Node::Break)?,
            Keyword::Continue => self.leave(token, "{{continue}}", Node::Continue)?,
            Keyword::Define => {
                self.give_back(token);
                self.pipeline("command", Kind::RightDelimiter)?;
            }
        }
        self.action = None;
        Ok(())
    }

    fn control(
        &mut self,
        context: &str,
        chained: bool,
        block: fn(Id) -> Block,
    ) -> Result<(), Fault> {
        let known = self.known.len();
        let pipe = self.pipeline(context, Kind::RightDelimiter)?;
        self.begin(block(pipe), chained, known);
        Ok(())
    }

    fn leave(&mut self, token: Token, context: &str, node: Node) -> Result<(), Fault> {
        self.expect(Kind::RightDelimiter, context)?;
        if self.loops == 0 {
            return Err(format!("{context} outside {{{{range}}}}"));
        }
        let node = self.ast.push(token.start, node);
        self.add(node);
        Ok(())
    }

    fn otherwise(&mut self) -> Result<(), Fault> {
        let next = self.peek_word();
        let chain = match next.kind {
            Kind::Keyword(keyword @ (Keyword::If | Keyword::With)) => Some(keyword),
            _ => {
                self.expect(Kind::RightDelimiter, "else")?;
                None
            }
        };
        self.action = None;
        let Some(open) = self.open.last_mut() else {
            return Ok(());
        };
        let same = match &open.block {
            Block::Root => return Err("unexpected {{else}}".to_owned()),
            Block::Define { .. } => return Err("unexpected {{else}} in define clause".to_owned()),
            Block::Inline { .. } => return Err("unexpected {{else}} in block clause".to_owned()),
            _ if open.before_else.is_some() => {
                return Err("expected end; found {{else}}".to_owned());
            }
            Block::If(_) => chain == Some(Keyword::If),
            Block::With(_) => chain == Some(Keyword::With),
            Block::Range(_) => false,
        };
        open.before_else = Some(std::mem::take(&mut open.nodes));
        if matches!(open.block, Block::Range(_)) {
            self.loops -= 1;
        }
        if same {
            // Only what goes on with the block's own word may follow at once.
            self.next_word();
            let block = match chain {
                Some(Keyword::With) => ("with", Block::With as fn(Id) -> Block),
                _ => ("if", Block::If as fn(Id) -> Block),
            };
            return self.control(block.0, true, block.1);
        }
        Ok(())
    }

    /// `{{end}}`: closes a block, and those it is the `else if` of.
    fn close(&mut self) -> Result<(), Fault> {
        loop {
            let Some(open) = self.open.pop() else {
                return Ok(());
            };
            let chained = open.chained;
            let known = open.known;
            match open.block {
                Block::Root => return Err("unexpected {{end}}".to_owned()),
                Block::Define { name, outer } => {
                    self.define_template(name, &open.nodes)?;
                    self.show_again(outer);
                    return Ok(());
                }
                Block::Inline {
                    name,
                    pipe,
                    at,
                    outer,
                } => {
                    self.define_template(name.clone(), &open.nodes)?;
                    self.show_again(outer);
                    let pipe = Some(pipe);
                    let call = self.ast.push(at, Node::Template { name, pipe });
                    self.add(call);
                    return Ok(());
                }
                Block::If(pipe) => self.branch(pipe, open.nodes, open.before_else, Node::If),
                Block::With(pipe) => self.branch(pipe, open.nodes, open.before_else, Node::With),
                Block::Range(pipe) => {
                    if open.before_else.is_none() {
                        self.loops -= 1;
                    }
                    self.branch(pipe, open.nodes, open.before_else, Node::Range);
                }
            }
            self.known.truncate(known);
            if !chained {
                return Ok(());
            }
        }
    }

    fn branch(
        &mut self,
        pipe: Id,
        nodes: Vec<Id>,
        before_else: Option<Vec<Id>>,
        node: fn(Branch) -> Node,
    ) {
        let (list, otherwise) = match before_else {
            Some(list) => (list, Some(self.ast.push_list(&nodes))),
            None => (nodes, None),
        };
        let list = self.ast.push_list(&list);
        let at = self.ast.node(pipe).at;
        let branch = node(Branch {
            pipe,
            list,
            otherwise,
        });
        let id = self.ast.push(at, branch);
        self.add(id);
    }

    fn block(&mut self) -> Result<(), Fault> {
        const CONTEXT: &str = "block clause";
        let token = self.next_word();
        let name = self.template_name(token, CONTEXT)?;
        let pipe = self.pipeline(CONTEXT, Kind::RightDelimiter)?;
        let outer = self.hide();
        let at = token.start;
        let known = self.known.len();
        self.begin(
            Block::Inline {
                name,
                pipe,
                at,
                outer,
            },
            false,
            known,
        );
        Ok(())
    }

    fn template(&mut self) -> Result<(), Fault> {
        const CONTEXT: &str = "template clause";
        let token = self.next_word();
        let name = self.template_name(token, CONTEXT)?;
        let next = self.next_word();
        let pipe = match next.kind {
            Kind::RightDelimiter => None,
            _ => {
                self.give_back(next);
                Some(self.pipeline(CONTEXT, Kind::RightDelimiter)?)
            }
        };
        let call = self.ast.push(token.start, Node::Template { name, pipe });
        self.add(call);
        Ok(())
    }

    fn template_name(&mut self, token: Token, context: &str) -> Result<Name, Fault> {
        match token.kind {
            Kind::String | Kind::RawString => match unquote(self.text(token)) {
                Some(name) => Ok(Arc::from(name)),
                None => Err("invalid syntax".to_owned()),
            },
            _ => Err(self.unexpected(token, context)),
        }
    }

    fn finish_root(&mut self) -> Result<(), Fault> {
        let Some(root) = self.open.pop() else {
            return Ok(());
        };
        let name = Arc::from(self.ast.name.as_bytes());
        self.define_template(name, &root.nodes)
    }

    fn define_template(&mut self, name: Name, nodes: &[Id]) -> Result<(), Fault> {
        let list = self.ast.push_list(nodes);
        let is_empty = self.ast.is_empty(list);
        let parsed = Parsed {
            name,
            list,
            is_empty,
        };
        let earlier = self.templates.iter_mut().find(|t| t.name == parsed.name);
        match earlier {
            None => self.templates.push(parsed),
            Some(earlier) if earlier.is_empty => *earlier = parsed,
            Some(_) if is_empty => {}
            Some(_) => {
                let name = quote(&parsed.name);
                return Err(format!("template: multiple definition of template {name}"));
            }
        }
        Ok(())
    }
}
