//! The operators and the functions.

use super::{
    evaluate::{Outcome, Run},
    node::{Function, Node, Operator},
    number::{NoNumber, Number},
    trouble::{Fault, Why},
    value::{Value, pieces},
};
use regex::Regex;
use std::{cmp::Ordering, rc::Rc};

/// Steps for each byte that a pattern looks at: the largest pattern takes about a microsecond for one.
const STEPS_PER_PATTERN_BYTE: usize = 8;

impl<'a> Run<'a> {
    pub(super) fn binary(
        &mut self,
        node: &'a Node,
        operator: Operator,
        left: Value<'a>,
        right: Value<'a>,
    ) -> Outcome<'a> {
        match operator {
            Operator::Equal => self.equal(node, &left, &right).map(Value::Bool),
            Operator::Unequal => self.equal(node, &left, &right).map(|equal| Value::Bool(!equal)),
            Operator::In => self.contained(node, left, &right),
            Operator::Less => self.ordered(node, operator, left, right, Ordering::is_lt),
            Operator::LessOrEqual => self.ordered(node, operator, left, right, Ordering::is_le),
            Operator::Greater => self.ordered(node, operator, left, right, Ordering::is_gt),
            Operator::GreaterOrEqual => self.ordered(node, operator, left, right, Ordering::is_ge),
            Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Remainder => {
                self.calculated(node, operator, left, right)
            }
        }
    }

    fn equal(&mut self, node: &'a Node, left: &Value<'a>, right: &Value<'a>) -> Result<bool, Fault<'a>> {
        left.equals(right, &mut |steps| self.spend(node, steps))
    }

    fn contained(&mut self, node: &'a Node, left: Value<'a>, right: &Value<'a>) -> Outcome<'a> {
        if let (Value::Map(map), Some(key)) = (right, left.text()) {
            self.spend(node, pieces(key.len()))?;
            return Ok(Value::Bool(map.contains_key(key)));
        }
        let items = right.items().filter(|_| right.length().is_some());
        let Some(items) = items else {
            let right = right.clone();
            return Err(Fault::new(node, Why::Mixed { operator: Operator::In, left, right }));
        };
        for item in items {
            if self.equal(node, &left, &item)? {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }

    fn ordered(
        &mut self,
        node: &'a Node,
        operator: Operator,
        left: Value<'a>,
        right: Value<'a>,
        wanted: fn(Ordering) -> bool,
    ) -> Outcome<'a> {
        self.spend(node, pieces(left.text().map_or(0, str::len)))?;
        match left.compare(&right) {
            Some(order) => Ok(Value::Bool(wanted(order))),
            None => Err(Fault::new(node, Why::Mixed { operator, left, right })),
        }
    }

    fn calculated(&mut self, node: &'a Node, operator: Operator, left: Value<'a>, right: Value<'a>) -> Outcome<'a> {
        if let (Value::Number(left), Value::Number(right)) = (&left, &right) {
            let result = left.calculate(operator, *right);
            return result.map(Value::Number).map_err(|why| Fault::new(node, Why::NoNumber(why)));
        }
        if operator != Operator::Add {
            return Err(Fault::new(node, Why::Mixed { operator, left, right }));
        }
        if let (Some(first), Some(second)) = (left.text(), right.text()) {
            self.spend(node, pieces(first.len() + second.len()))?;
            return Ok(Value::MadeText(format!("{first}{second}").into()));
        }
        let (Some(first), Some(second)) = (left.length(), right.length()) else {
            return Err(Fault::new(node, Why::Mixed { operator, left, right }));
        };
        self.spend(node, first + second)?;
        let items: Rc<[_]> = left.items().into_iter().chain(right.items()).flatten().collect();
        Ok(Value::MadeList(items))
    }

    pub(super) fn matches(&mut self, node: &'a Node, text: &'a Node, pattern: &Regex) -> Outcome<'a> {
        let value = self.value(text)?;
        let Some(subject) = value.text() else {
            return Err(Fault::new(text, Why::BadArgument { function: "matches", wanted: "a text", value }));
        };
        self.spend(node, subject.len() * STEPS_PER_PATTERN_BYTE)?;
        Ok(Value::Bool(pattern.is_match(subject)))
    }

    pub(super) fn call(&mut self, node: &'a Node, function: Function, arguments: &'a [Node]) -> Outcome<'a> {
        let values = arguments.iter().map(|argument| self.value(argument)).collect::<Result<Vec<_>, _>>()?;
        // The beginning and the end of a text are found without a look at the rest.
        let unread = usize::from(matches!(function, Function::StartsWith | Function::EndsWith));
        for value in values.iter().skip(unread) {
            self.spend(node, pieces(value.text().map_or(0, str::len)))?;
        }
        let (wanted, result) = match (function, values.as_slice()) {
            (Function::Contains, [text, part]) => ("a text", tested(text, part, |text, part| text.contains(part))),
            (Function::StartsWith, [text, part]) => ("a text", tested(text, part, |text, part| text.starts_with(part))),
            (Function::EndsWith, [text, part]) => ("a text", tested(text, part, |text, part| text.ends_with(part))),
            (Function::Size, [value]) => ("a text, a list or a map", size(value)),
            (Function::Int, [value]) => ("a number, or a text of digits", int(value)),
            (Function::Double, [value]) => ("a number, or a text of digits", double(value)),
            (Function::String, [value]) => ("a text, a number, or true or false", string(value)),
            (Function::Bool, [value]) => ("true or false, or the text of one", bool(value)),
            // Calls are counted when an expression is compiled.
            _ => ("as many values as it takes", None),
        };
        result.ok_or_else(|| {
            if let (Function::Int, [Value::Number(_)]) = (function, values.as_slice()) {
                return Fault::new(node, Why::NoNumber(NoNumber::TooLarge));
            }
            let both = function_takes_texts(function);
            let value = values.into_iter().find(|value| !both || value.text().is_none()).unwrap_or(Value::Null);
            Fault::new(node, Why::BadArgument { function: function.name(), wanted, value })
        })
    }
}

fn function_takes_texts(function: Function) -> bool {
    matches!(function, Function::Contains | Function::StartsWith | Function::EndsWith)
}

fn tested<'a>(text: &Value<'a>, part: &Value<'a>, test: fn(&str, &str) -> bool) -> Option<Value<'a>> {
    Some(Value::Bool(test(text.text()?, part.text()?)))
}

/// A text counts in characters.
fn size<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let map = |value: &Value<'a>| if let Value::Map(map) = value { Some(map.len()) } else { None };
    let text = |value: &Value<'a>| value.text().map(|text| text.chars().count());
    let size = value.length().or_else(|| map(value)).or_else(|| text(value))?;
    i128::try_from(size).ok().map(Value::whole)
}

fn int<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let whole = match value {
        Value::Number(number) => number.truncated()?,
        _ => i128::from(value.text()?.parse::<i64>().ok()?),
    };
    Some(Value::whole(whole))
}

fn double<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    let fraction = match value {
        Value::Number(number) => number.to_double(),
        _ => value.text()?.parse::<f64>().ok().filter(|number| number.is_finite())?,
    };
    Some(Value::Number(Number::Double(fraction)))
}

fn string<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    match value {
        Value::Text(_) | Value::MadeText(_) => Some(value.clone()),
        Value::Bool(value) => Some(Value::MadeText(value.to_string().into())),
        Value::Number(Number::Int(whole)) => Some(Value::MadeText(whole.to_string().into())),
        Value::Number(Number::Double(fraction)) => Some(Value::MadeText(fraction.to_string().into())),
        Value::Null | Value::List(_) | Value::Map(_) | Value::MadeList(_) => None,
    }
}

fn bool<'a>(value: &Value<'a>) -> Option<Value<'a>> {
    match value {
        Value::Bool(_) => Some(value.clone()),
        _ => value.text()?.parse().ok().map(Value::Bool),
    }
}
