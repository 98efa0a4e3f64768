//! From the tree of the parser to our own, with every name and every call checked on the way.

use super::{
    Mistake, Place,
    functions::{self, Callee},
    listed, meant,
    node::{Kind, Loop, LoopKind, Node, Operator},
    parse::Tree,
    pattern, quoted,
};
use cel::{
    IdedExpr,
    common::ast::{CallExpr, Expr, LiteralValue, operators},
};

/// Checks a tree and makes it ready to run. It knows these names.
pub(super) fn lower(tree: &Tree, roots: &[&str]) -> Result<Node, Mistake> {
    Lowering { tree, roots, variables: Vec::new() }.node(&tree.expression)
}

struct Lowering<'t> {
    tree: &'t Tree,
    roots: &'t [&'t str],
    /// The variables of the loops around the present place, outermost first.
    variables: Vec<String>,
}

type Lowered = Result<Node, Mistake>;

impl Lowering<'_> {
    fn node(&mut self, part: &IdedExpr) -> Lowered {
        let at = self.tree.place(part);
        let kind = match &part.expr {
            Expr::Literal(value) => literal(at, value)?,
            Expr::Ident(name) => self.name(at, name)?,
            Expr::Select(select) => Kind::Field { of: self.boxed(&select.operand)?, name: select.field.clone() },
            Expr::List(list) => Kind::List(self.nodes(&list.elements)?),
            Expr::Call(call) => self.call(at, call)?,
            Expr::Map(_) | Expr::Struct(_) | Expr::Comprehension(_) | Expr::Unspecified => {
                return Err(at.mistake("this cannot be used in an expression", "use values, operators and functions"));
            }
        };
        Ok(Node { at, kind })
    }

    fn boxed(&mut self, part: &IdedExpr) -> Result<Box<Node>, Mistake> {
        self.node(part).map(Box::new)
    }

    fn nodes(&mut self, parts: &[IdedExpr]) -> Result<Vec<Node>, Mistake> {
        parts.iter().map(|part| self.node(part)).collect()
    }

    /// The innermost variable of that name, or else a name of the context. A dot before it skips the variables.
    fn name(&self, at: Place, written: &str) -> Result<Kind, Mistake> {
        let name = written.trim_start_matches('.');
        if let Some(level) = self.variables.iter().rposition(|variable| variable == written) {
            return Ok(Kind::Variable { level, name: name.to_owned() });
        }
        if self.roots.contains(&name) {
            return Ok(Kind::Root(name.to_owned()));
        }
        let known = || self.roots.iter().copied().chain(self.variables.iter().map(String::as_str));
        let hint = match meant(name, known()) {
            Some(meant) => format!("did you mean {}?", quoted(meant)),
            None => format!("the names are {}; put a text between quotation marks", listed(known())),
        };
        Err(at.mistake(format!("there is no name {}", quoted(name)), hint))
    }

    fn call(&mut self, at: Place, call: &CallExpr) -> Result<Kind, Mistake> {
        if let (None, Some(kind)) = (&call.target, self.operator(call)?) {
            return Ok(kind);
        }
        let arguments: Vec<&IdedExpr> = call.target.iter().map(|target| &**target).chain(&call.args).collect();
        let name = call.func_name.trim_start_matches('.');
        match functions::callee(at, name, call.target.is_some(), arguments.len())? {
            Callee::Plain(function) => {
                let arguments = arguments.into_iter().map(|part| self.node(part)).collect::<Result<_, _>>()?;
                Ok(Kind::Call { function, arguments })
            }
            Callee::Has => match &arguments[0].expr {
                Expr::Select(select) => Ok(Kind::Has { of: self.boxed(&select.operand)?, name: select.field.clone() }),
                _ => Err(functions::misused(at, name)),
            },
            Callee::Matches => self.matches(arguments[0], arguments[1]),
            Callee::Loop(kind) => self.a_loop(kind, &arguments),
        }
    }

    /// A call that is written as an operator.
    fn operator(&mut self, call: &CallExpr) -> Result<Option<Kind>, Mistake> {
        let kind = match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::LOGICAL_NOT, [of]) => Kind::Not(self.boxed(of)?),
            (operators::NEGATE, [of]) => Kind::Negate(self.boxed(of)?),
            (operators::LOGICAL_AND, [left, right]) => Kind::And(self.boxed(left)?, self.boxed(right)?),
            (operators::LOGICAL_OR, [left, right]) => Kind::Or(self.boxed(left)?, self.boxed(right)?),
            (operators::INDEX, [of, index]) => Kind::Index { of: self.boxed(of)?, index: self.boxed(index)? },
            (operators::CONDITIONAL, [condition, yes, no]) => {
                Kind::If { condition: self.boxed(condition)?, yes: self.boxed(yes)?, no: self.boxed(no)? }
            }
            (name, [left, right]) => match binary(name) {
                Some(operator) => Kind::Binary { operator, left: self.boxed(left)?, right: self.boxed(right)? },
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn matches(&mut self, text: &IdedExpr, pattern: &IdedExpr) -> Result<Kind, Mistake> {
        let at = self.tree.place(pattern);
        match &pattern.expr {
            Expr::Literal(LiteralValue::String(pattern)) => {
                let pattern = pattern::compile(at, pattern.inner())?;
                Ok(Kind::Matches { text: self.boxed(text)?, pattern })
            }
            _ => Err(at.mistake("the pattern of `matches` is no plain text", "write it between quotation marks")),
        }
    }

    fn a_loop(&mut self, kind: LoopKind, arguments: &[&IdedExpr]) -> Result<Kind, Mistake> {
        let (of, variable) = (self.node(arguments[0])?, arguments[1]);
        let name = match &variable.expr {
            Expr::Ident(name) if !name.starts_with('.') => name,
            _ => {
                let at = self.tree.place(variable);
                return Err(at.mistake("a loop begins with the name of its variable", "write `list.all(x, x > 0)`"));
            }
        };
        self.variables.push(name.clone());
        let condition = arguments.get(3).map(|_| self.node(arguments[2])).transpose();
        let body = arguments.last().map(|body| self.node(body));
        self.variables.pop();
        let Some(body) = body else { return Err(of.at.mistake("a loop has no body", "write `list.all(x, x > 0)`")) };
        Ok(Kind::Loop(Box::new(Loop { kind, of, condition: condition?, body: body? })))
    }
}

fn literal(at: Place, value: &LiteralValue) -> Result<Kind, Mistake> {
    match value {
        LiteralValue::Null => Ok(Kind::Null),
        LiteralValue::Boolean(value) => Ok(Kind::Bool(*value.inner())),
        LiteralValue::Int(value) => Ok(Kind::Int(*value.inner())),
        LiteralValue::Double(value) => Ok(Kind::Double(*value.inner())),
        LiteralValue::String(value) => Ok(Kind::Text(value.inner().to_owned())),
        LiteralValue::UInt(_) | LiteralValue::Bytes(_) => {
            Err(at.mistake("JSON has no such value", "write a number or a text"))
        }
    }
}

fn binary(name: &str) -> Option<Operator> {
    Some(match name {
        operators::EQUALS => Operator::Equal,
        operators::NOT_EQUALS => Operator::Unequal,
        operators::LESS => Operator::Less,
        operators::LESS_EQUALS => Operator::LessOrEqual,
        operators::GREATER => Operator::Greater,
        operators::GREATER_EQUALS => Operator::GreaterOrEqual,
        operators::IN => Operator::In,
        operators::ADD => Operator::Add,
        operators::SUBSTRACT => Operator::Subtract,
        operators::MULTIPLY => Operator::Multiply,
        operators::DIVIDE => Operator::Divide,
        operators::MODULO => Operator::Remainder,
        _ => return None,
    })
}
