//! What can be told about an expression without running it: a condition that can never be true or false is refused.

use super::{
    Mistake,
    node::{Function, Kind, LoopKind, Node, Operator},
};

/// What a part of an expression gives, where this can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Type {
    Null,
    Bool,
    Number,
    Text,
    List,
}

impl Type {
    fn words(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "true or false",
            Self::Number => "a number",
            Self::Text => "a text",
            Self::List => "a list",
        }
    }
}

/// Refuses a part that gives something else than true or false, and checks what is in it.
pub(super) fn condition(node: &Node) -> Result<(), Mistake> {
    match type_of(node)? {
        None | Some(Type::Bool) => Ok(()),
        Some(other) => {
            let hint = match other {
                Type::Text => "compare it with something, as in `handoff.risk == \"high\"`",
                Type::Null | Type::Bool | Type::Number | Type::List => {
                    "compare it with something, as in `size(list) > 0`"
                }
            };
            Err(node.at.mistake(format!("this gives {}, not true or false", other.words()), hint))
        }
    }
}

fn type_of(node: &Node) -> Result<Option<Type>, Mistake> {
    Ok(match &node.kind {
        Kind::Null => Some(Type::Null),
        Kind::Bool(_) => Some(Type::Bool),
        Kind::Int(_) | Kind::Double(_) => Some(Type::Number),
        Kind::Text(_) => Some(Type::Text),
        Kind::Root(_) | Kind::Variable { .. } => None,
        Kind::List(items) => {
            items.iter().try_for_each(|item| type_of(item).map(drop))?;
            Some(Type::List)
        }
        Kind::Field { of, .. } => type_of(of).map(|_| None)?,
        Kind::Has { of, .. } => type_of(of).map(|_| Some(Type::Bool))?,
        Kind::Index { of, index } => type_of(of).and(type_of(index)).map(|_| None)?,
        Kind::Not(of) => condition(of).map(|()| Some(Type::Bool))?,
        Kind::Negate(of) => type_of(of).map(|_| Some(Type::Number))?,
        Kind::And(left, right) | Kind::Or(left, right) => {
            condition(left)?;
            condition(right)?;
            Some(Type::Bool)
        }
        Kind::If { condition: choice, yes, no } => {
            condition(choice)?;
            let (yes, no) = (type_of(yes)?, type_of(no)?);
            yes.filter(|yes| Some(*yes) == no)
        }
        Kind::Binary { operator, left, right } => binary(*operator, left, right)?,
        Kind::Call { function, arguments } => {
            arguments.iter().try_for_each(|argument| type_of(argument).map(drop))?;
            Some(given(*function))
        }
        Kind::Matches { text, .. } => type_of(text).map(|_| Some(Type::Bool))?,
        Kind::Loop(each) => {
            type_of(&each.of)?;
            each.condition.as_ref().map_or(Ok(()), condition)?;
            a_loop(each.kind, &each.body)?
        }
    })
}

fn a_loop(kind: LoopKind, body: &Node) -> Result<Option<Type>, Mistake> {
    match kind {
        LoopKind::Map => type_of(body).map(|_| Some(Type::List)),
        LoopKind::Filter => condition(body).map(|()| Some(Type::List)),
        LoopKind::All | LoopKind::Exists | LoopKind::ExistsOne => condition(body).map(|()| Some(Type::Bool)),
    }
}

fn binary(operator: Operator, left: &Node, right: &Node) -> Result<Option<Type>, Mistake> {
    let (before, after) = (type_of(left)?, type_of(right)?);
    Ok(match operator {
        Operator::Equal | Operator::Unequal | Operator::In => Some(Type::Bool),
        Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => {
            for (side, node) in [(before, left), (after, right)] {
                ordered(side, node)?;
            }
            Some(Type::Bool)
        }
        Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Remainder => Some(Type::Number),
        Operator::Add => before.or(after),
    })
}

/// Only numbers and texts have an order. A comparison of a comparison is the slip `1 < x < 5`.
fn ordered(side: Option<Type>, node: &Node) -> Result<(), Mistake> {
    match side {
        None | Some(Type::Number | Type::Text) => Ok(()),
        Some(other) => {
            let message = format!("this gives {}, which is neither less nor greater than anything", other.words());
            let hint = match other {
                Type::Bool => "write `1 < x && x < 5` instead of `1 < x < 5`",
                Type::Null | Type::Number | Type::Text | Type::List => "compare numbers, or texts",
            };
            Err(node.at.mistake(message, hint))
        }
    }
}

fn given(function: Function) -> Type {
    match function {
        Function::Size | Function::Int | Function::Double => Type::Number,
        Function::Contains | Function::StartsWith | Function::EndsWith | Function::Bool => Type::Bool,
        Function::String => Type::Text,
    }
}
