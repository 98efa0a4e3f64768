//! Runs a checked expression, step by counted step.

use super::{
    Context, Trouble,
    node::{Kind, Loop, LoopKind, Node},
    number::Number,
    trouble::{Fault, Why},
    value::{Value, pieces},
};
use crate::limits;
use std::rc::Rc;

pub(super) type Outcome<'a> = Result<Value<'a>, Fault<'a>>;
type Answer<'a> = Result<bool, Fault<'a>>;

/// Whether an expression holds in this context.
pub(super) fn condition(root: &Node, context: &dyn Context) -> Result<bool, Trouble> {
    let mut run = Run { context, variables: Vec::new(), left: limits::EXPRESSION_STEPS_MAX };
    run.condition(root).map_err(|fault| fault.trouble())
}

/// One run: what it knows and what it may still spend.
pub(super) struct Run<'a> {
    context: &'a dyn Context,
    variables: Vec<Value<'a>>,
    left: usize,
}

impl<'a> Run<'a> {
    /// Takes steps from what is left.
    pub(super) fn spend(&mut self, node: &Node, steps: usize) -> Result<(), Fault<'a>> {
        self.left = self.left.checked_sub(steps).ok_or_else(|| Fault::new(node, Why::Spent))?;
        Ok(())
    }

    fn condition(&mut self, node: &'a Node) -> Answer<'a> {
        match self.value(node)? {
            Value::Bool(answer) => Ok(answer),
            value => Err(Fault::new(node, Why::NotBool { of: node, value })),
        }
    }

    pub(super) fn value(&mut self, node: &'a Node) -> Outcome<'a> {
        self.spend(node, 1)?;
        match &node.kind {
            Kind::Null => Ok(Value::Null),
            Kind::Bool(value) => Ok(Value::Bool(*value)),
            Kind::Int(number) => Ok(Value::whole(i128::from(*number))),
            Kind::Double(number) => Ok(Value::Number(Number::Double(*number))),
            Kind::Text(text) => Ok(Value::Text(text)),
            Kind::List(items) => self.list(items),
            Kind::Root(name) => match self.context.root(name) {
                Some(json) => Ok(Value::of(json)),
                None => Err(Fault::new(node, Why::NoRoot(name))),
            },
            Kind::Variable { level, name } => match self.variables.get(*level) {
                Some(value) => Ok(value.clone()),
                None => Err(Fault::new(node, Why::NoRoot(name))),
            },
            Kind::Field { of, name } => {
                let value = self.value(of)?;
                self.key(node, of, value, Value::Text(name))
            }
            Kind::Has { of, name } => self.has(node, of, name),
            Kind::Index { of, index } => self.index(node, of, index),
            Kind::Not(of) => Ok(Value::Bool(!self.condition(of)?)),
            Kind::Negate(of) => self.negate(node, of),
            Kind::And(left, right) => self.either(left, right, false),
            Kind::Or(left, right) => self.either(left, right, true),
            Kind::If { condition, yes, no } => {
                if self.condition(condition)? {
                    self.value(yes)
                } else {
                    self.value(no)
                }
            }
            Kind::Binary { operator, left, right } => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                self.binary(node, *operator, left, right)
            }
            Kind::Call { function, arguments } => self.call(node, *function, arguments),
            Kind::Matches { text, pattern } => self.matches(node, text, pattern),
            Kind::Loop(each) => {
                let level = self.variables.len();
                let outcome = self.each(each);
                // A fault that is overruled further out must not leave its variables behind.
                self.variables.truncate(level);
                outcome
            }
        }
    }

    fn list(&mut self, items: &'a [Node]) -> Outcome<'a> {
        let items = items.iter().map(|item| self.value(item)).collect::<Result<Rc<[_]>, _>>()?;
        Ok(Value::MadeList(items))
    }

    /// The value of a map at this key.
    fn key(&mut self, node: &'a Node, of: &'a Node, value: Value<'a>, key: Value<'a>) -> Outcome<'a> {
        let (Value::Map(map), Some(name)) = (&value, key.text()) else {
            return Err(Fault::new(node, Why::NoParts { of, value }));
        };
        self.spend(node, pieces(name.len()))?;
        match map.get(name) {
            Some(json) => Ok(Value::of(json)),
            None => Err(Fault::new(node, Why::NoKey { of, map, key })),
        }
    }

    fn has(&mut self, node: &'a Node, of: &'a Node, name: &str) -> Outcome<'a> {
        match self.value(of)? {
            Value::Map(map) => Ok(Value::Bool(map.contains_key(name))),
            value => Err(Fault::new(node, Why::NoParts { of, value })),
        }
    }

    fn index(&mut self, node: &'a Node, of: &'a Node, index: &'a Node) -> Outcome<'a> {
        let (value, index) = (self.value(of)?, self.value(index)?);
        match (&value, value.length(), &index) {
            (Value::Map(_), _, Value::Text(_) | Value::MadeText(_)) => self.key(node, of, value, index),
            (_, Some(length), Value::Number(number)) => {
                let item = number.index().and_then(|index| value.item(index));
                item.ok_or_else(|| Fault::new(node, Why::NoItem { of, length }))
            }
            _ => Err(Fault::new(node, Why::BadIndex { of: value, index })),
        }
    }

    fn negate(&mut self, node: &'a Node, of: &'a Node) -> Outcome<'a> {
        match self.value(of)? {
            Value::Number(number) => {
                number.negated().map(Value::Number).map_err(|why| Fault::new(node, Why::NoNumber(why)))
            }
            value => Err(Fault::new(node, Why::BadArgument { function: "-", wanted: "a number", value })),
        }
    }

    /// `||` is decided by one true and `&&` by one false, whatever goes wrong on the other side.
    fn either(&mut self, left: &'a Node, right: &'a Node, deciding: bool) -> Outcome<'a> {
        let fault = match self.condition(left) {
            Ok(answer) if answer == deciding => return Ok(Value::Bool(deciding)),
            Ok(_) => None,
            Err(fault) if fault.may_be_overruled() => Some(fault),
            Err(fault) => return Err(fault),
        };
        match (self.condition(right), fault) {
            (Ok(answer), _) if answer == deciding => Ok(Value::Bool(deciding)),
            (Err(last), _) if !last.may_be_overruled() => Err(last),
            (_, Some(first)) => Err(first),
            (answer, None) => answer.map(Value::Bool),
        }
    }

    fn each(&mut self, each: &'a Loop) -> Outcome<'a> {
        let list = self.value(&each.of)?;
        let Some(items) = list.items() else {
            return Err(Fault::new(&each.of, Why::NoLoop { of: &each.of, value: list.clone() }));
        };
        let level = self.variables.len();
        let mut turns = items.map(|item| Turn { level, item });
        match each.kind {
            LoopKind::All => self.decided(each, &mut turns, false),
            LoopKind::Exists => self.decided(each, &mut turns, true),
            LoopKind::ExistsOne => self.exactly_one(each, &mut turns),
            LoopKind::Filter => self.filtered(each, &mut turns),
            LoopKind::Map => self.mapped(each, &mut turns),
        }
    }

    /// Puts the next item into the variable of the loop.
    fn turn(&mut self, each: &'a Loop, turn: Turn<'a>) -> Result<(), Fault<'a>> {
        self.spend(&each.body, 1)?;
        self.variables.truncate(turn.level);
        self.variables.push(turn.item);
        Ok(())
    }

    /// `exists` is decided by one true and `all` by one false, whatever goes wrong with other items.
    fn decided(&mut self, each: &'a Loop, turns: &mut dyn Iterator<Item = Turn<'a>>, deciding: bool) -> Outcome<'a> {
        let mut first = None;
        for turn in turns {
            self.turn(each, turn)?;
            match self.condition(&each.body) {
                Ok(answer) if answer == deciding => return Ok(Value::Bool(deciding)),
                Ok(_) => {}
                Err(fault) if fault.may_be_overruled() => first = first.or(Some(fault)),
                Err(fault) => return Err(fault),
            }
        }
        first.map_or(Ok(Value::Bool(!deciding)), Err)
    }

    fn exactly_one(&mut self, each: &'a Loop, turns: &mut dyn Iterator<Item = Turn<'a>>) -> Outcome<'a> {
        let mut count = 0_usize;
        for turn in turns {
            self.turn(each, turn)?;
            count += usize::from(self.condition(&each.body)?);
        }
        Ok(Value::Bool(count == 1))
    }

    fn filtered(&mut self, each: &'a Loop, turns: &mut dyn Iterator<Item = Turn<'a>>) -> Outcome<'a> {
        let mut kept = Vec::new();
        for turn in turns {
            let item = turn.item.clone();
            self.turn(each, turn)?;
            if self.condition(&each.body)? {
                kept.push(item);
            }
        }
        Ok(Value::MadeList(kept.into()))
    }

    fn mapped(&mut self, each: &'a Loop, turns: &mut dyn Iterator<Item = Turn<'a>>) -> Outcome<'a> {
        let mut made = Vec::new();
        for turn in turns {
            self.turn(each, turn)?;
            let wanted = each.condition.as_ref().map_or(Ok(true), |condition| self.condition(condition))?;
            if wanted {
                made.push(self.value(&each.body)?);
            }
        }
        Ok(Value::MadeList(made.into()))
    }
}

/// One turn of a loop: the item, and which variable holds it.
struct Turn<'a> {
    level: usize,
    item: Value<'a>,
}
