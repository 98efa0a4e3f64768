//! The tree of a checked expression. Every name in it is known and every function is called as it should be.

use super::Place;
use regex::Regex;

/// One step of an expression, and where it stands in the source.
pub(super) struct Node {
    pub(super) at: Place,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    List(Vec<Node>),
    /// A name of the context.
    Root(String),
    /// The variable of a loop around it, counted from the outermost.
    Variable {
        level: usize,
        name: String,
    },
    Field {
        of: Box<Node>,
        name: String,
    },
    Has {
        of: Box<Node>,
        name: String,
    },
    Index {
        of: Box<Node>,
        index: Box<Node>,
    },
    Not(Box<Node>),
    Negate(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    If {
        condition: Box<Node>,
        yes: Box<Node>,
        no: Box<Node>,
    },
    Binary {
        operator: Operator,
        left: Box<Node>,
        right: Box<Node>,
    },
    Call {
        function: Function,
        arguments: Vec<Node>,
    },
    /// The pattern is compiled once, with the expression.
    Matches {
        text: Box<Node>,
        pattern: Regex,
    },
    Loop(Box<Loop>),
}

/// `of.all(x, body)` and its like. Only `map` may have a condition beside its body.
pub(super) struct Loop {
    pub(super) kind: LoopKind,
    pub(super) of: Node,
    pub(super) condition: Option<Node>,
    pub(super) body: Node,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoopKind {
    All,
    Exists,
    ExistsOne,
    Map,
    Filter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Operator {
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::In => "in",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Size,
    Contains,
    StartsWith,
    EndsWith,
    Int,
    Double,
    String,
    Bool,
}

impl Function {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Contains => "contains",
            Self::StartsWith => "startsWith",
            Self::EndsWith => "endsWith",
            Self::Int => "int",
            Self::Double => "double",
            Self::String => "string",
            Self::Bool => "bool",
        }
    }
}

impl Node {
    /// Levels from here down. Called where the stack is large enough for any tree.
    pub(super) fn depth(&self) -> usize {
        let of_all = |nodes: &[Node]| nodes.iter().map(Node::depth).max().unwrap_or(0);
        1 + match &self.kind {
            Kind::Null | Kind::Bool(_) | Kind::Int(_) | Kind::Double(_) | Kind::Text(_) => 0,
            Kind::Root(_) | Kind::Variable { .. } => 0,
            Kind::List(nodes) | Kind::Call { arguments: nodes, .. } => of_all(nodes),
            Kind::Field { of, .. } | Kind::Has { of, .. } | Kind::Not(of) | Kind::Negate(of) => of.depth(),
            Kind::Matches { text, .. } => text.depth(),
            Kind::Index { of: left, index: right } | Kind::And(left, right) | Kind::Or(left, right) => {
                left.depth().max(right.depth())
            }
            Kind::Binary { left, right, .. } => left.depth().max(right.depth()),
            Kind::If { condition, yes, no } => condition.depth().max(yes.depth()).max(no.depth()),
            Kind::Loop(each) => {
                let condition = each.condition.as_ref().map_or(0, Node::depth);
                each.of.depth().max(each.body.depth()).max(condition)
            }
        }
    }

    /// How the source names this value, as far as it has a name.
    pub(super) fn path(&self) -> Option<String> {
        match &self.kind {
            Kind::Root(name) | Kind::Variable { name, .. } => Some(name.clone()),
            Kind::Field { of, name } => Some(format!("{}.{name}", of.path()?)),
            Kind::Index { of, index } => match &index.kind {
                Kind::Int(number) => Some(format!("{}[{number}]", of.path()?)),
                Kind::Text(key) => Some(format!("{}[{key:?}]", of.path()?)),
                _ => None,
            },
            _ => None,
        }
    }
}
