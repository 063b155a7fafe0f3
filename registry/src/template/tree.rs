//! What a template says: the tree that the checker proves and the crate's tree is compared with.

use super::span::Span;

/// A template.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tree {
    /// In order.
    pub body: Vec<Node>,
    /// How many branches its blocks have; their numbers are below it.
    pub branches: usize,
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// Text that is written as it is.
    Text(Text),
    /// A comment, of which nothing is written.
    Comment(Span),
    /// A value that is written.
    Output(Output),
    /// A block.
    Block(Box<Block>),
}

/// Text between tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Where it is, with its escapes.
    pub span: Span,
    /// As it stands, without its escapes.
    pub original: String,
    /// As it is written: white space taken by `~` and by tags alone on their line is left out.
    pub written: String,
    /// Whether white space was taken from its beginning, and from its end.
    pub(super) taken: (bool, bool),
}

/// `{{…}}` or `{{{…}}}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The tag.
    pub span: Span,
    /// Its value.
    pub value: Expr,
    /// Whether it has three braces, which means the same.
    pub triple: bool,
    /// The tildes.
    pub strip: Strip,
}

/// Which tildes a tag has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Strip {
    /// `{{~`
    pub open: bool,
    /// `~}}`
    pub close: bool,
}

/// The blocks that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// `{{#if}}`
    If,
    /// `{{#unless}}`
    Unless,
    /// `{{#with}}`
    With,
    /// `{{#each}}`
    Each,
}

impl BlockKind {
    /// All of them.
    pub const ALL: [BlockKind; 4] = [
        BlockKind::If,
        BlockKind::Unless,
        BlockKind::With,
        BlockKind::Each,
    ];

    /// Its name in a template.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            BlockKind::If => "if",
            BlockKind::Unless => "unless",
            BlockKind::With => "with",
            BlockKind::Each => "each",
        }
    }

    /// The block of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<BlockKind> {
        BlockKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// `{{#if x}}…{{else}}…{{/if}}`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The opening tag.
    pub span: Span,
    /// Which block.
    pub kind: BlockKind,
    /// Its one argument.
    pub argument: Expr,
    /// `as |x i|`
    pub params: Vec<Param>,
    /// What is written when it holds.
    pub body: Vec<Node>,
    /// The number of the branch of `body`.
    pub branch: usize,
    /// What is written when it does not.
    pub otherwise: Option<Else>,
    /// The tildes of the opening tag.
    pub open_strip: Strip,
    /// The tildes of what closes it.
    pub close_strip: Strip,
}

/// `{{else}}` and what follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Else {
    /// The tag.
    pub span: Span,
    /// One block when it is `{{else if …}}`.
    pub body: Vec<Node>,
    /// The number of this branch.
    pub branch: usize,
    /// Whether it is `{{else if …}}` or the like.
    pub chained: bool,
    /// The tildes of the tag.
    pub strip: Strip,
}

/// A block parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Where it is named.
    pub span: Span,
}

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expr {
    /// Where it is.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExprKind {
    /// A path into the context.
    Path(Path),
    /// A text.
    Str(String),
    /// A whole number.
    Int(i64),
    /// True or false.
    Bool(bool),
    /// Null.
    Null,
    /// `(name …)`, or `{{name …}}` in a tag.
    Call(Call),
}

/// A call of a helper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The helper.
    pub name: String,
    /// Where it is named.
    pub name_span: Span,
    /// At least one.
    pub arguments: Vec<Expr>,
}

/// Where a path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// Nothing said: a block parameter, or a field of the current scope.
    Plain,
    /// `this` or `./`
    This,
    /// So many `../`
    Up(usize),
    /// `@root.`
    Root,
    /// `@index`
    Index,
    /// `@first`
    First,
    /// `@last`
    Last,
    /// `@key`
    Key,
}

/// A path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Where it begins.
    pub base: Base,
    /// The names after that.
    pub steps: Vec<Step>,
}

/// A name in a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The name.
    pub name: String,
    /// Where it is.
    pub span: Span,
}

impl Path {
    /// As it is written in a template.
    #[must_use]
    pub fn written(&self) -> String {
        let steps = self
            .steps
            .iter()
            .map(|step| step.name.as_str())
            .collect::<Vec<_>>()
            .join(".");
        let base = match self.base {
            Base::Plain => return steps,
            Base::This if steps.is_empty() => return "this".into(),
            Base::This => "this.".into(),
            Base::Up(levels) if steps.is_empty() => return format!("{}this", "../".repeat(levels)),
            Base::Up(levels) => "../".repeat(levels),
            Base::Root => "@root.".into(),
            Base::Index => "@index".into(),
            Base::First => "@first".into(),
            Base::Last => "@last".into(),
            Base::Key => "@key".to_owned(),
        };
        base + &steps
    }
}

impl Expr {
    /// The path that it is: a path, or `(lookup path "field")`, which means `path.field`.
    #[must_use]
    pub fn as_path(&self) -> Option<std::borrow::Cow<'_, Path>> {
        match &self.kind {
            ExprKind::Path(path) => Some(std::borrow::Cow::Borrowed(path)),
            ExprKind::Call(call) if call.name == "lookup" => match call.arguments.as_slice() {
                [
                    of,
                    Expr {
                        kind: ExprKind::Str(field),
                        span,
                    },
                ] => {
                    let mut path = of.as_path()?.into_owned();
                    path.steps.push(Step {
                        name: field.clone(),
                        span: span.clone(),
                    });
                    Some(std::borrow::Cow::Owned(path))
                }
                _ => None,
            },
            _ => None,
        }
    }
}
