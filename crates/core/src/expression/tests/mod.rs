//! Tables of expressions: what holds, what does not, what cannot be told, and what is no expression.

mod bounds;
mod meaning;
mod mistakes;
mod oracle;
mod page;
mod properties;
mod troubles;

use super::{Expression, Trouble};
use serde_json::{Value, json};

const ROOTS: [&str; 3] = ["handoff", "session", "target"];

fn context() -> Value {
    json!({
        "handoff": {
            "priority": 3, "cost": 5.0, "budget": 7.5, "risk": "high", "intent": "Delete the backup of übung",
            "tags": ["prod", "data"], "none": [], "empty": "", "note": null, "urgent": true, "big": u64::MAX,
            "negative": -2, "odd key": 1, "steps": [{"name": "a", "cost": 1}, {"name": "b", "cost": 2.5}, {"name": "c"}],
            "matrix": [[1, 2], [3]], "id": "17", "same": {"x": [1, {"y": null}], "z": 2}, "twin": {"z": 2.0, "x": [1.0, {"y": null}]}
        },
        "session": {"variables": {"b": 2, "a": 1}, "owner": "mia"},
        "target": {"kind": "human", "id": "ops.lead"}
    })
}

fn compile(source: &str) -> Expression {
    Expression::compile(source, &ROOTS).unwrap_or_else(|mistake| panic!("{source}: {mistake}"))
}

fn answer(source: &str) -> Result<bool, Trouble> {
    compile(source).holds(&context())
}

const HOLD: &[&str] = &[
    "true",
    "handoff.urgent",
    "!false && !!true",
    "handoff.risk == \"high\"",
    "handoff['risk'] == 'high' && handoff[\"odd key\"] == 1",
    "handoff.risk in ['high', \"critical\"]",
    "handoff.risk != 'low' && target.kind == 'human'",
    // Numbers: whole ones and fractions are compared by what they are worth.
    "handoff.priority + 1 == 4",
    "handoff.priority > -1 && -handoff.priority < 0",
    "handoff.cost == 5 && handoff.cost >= 5 && 5 <= handoff.cost && !(handoff.cost > 5)",
    "handoff.cost > 4 && handoff.cost < 5.5 && handoff.budget > 7 && handoff.budget < 8",
    "handoff.cost * 2 == 10 && handoff.priority * 1.5 == 4.5 && handoff.priority / 2 == 1 && handoff.priority % 2 == 1",
    "handoff.negative / 2 == -1 && -7 / 2 == -3 && -7 % 2 == -1 && 2 + 3 * 4 == 14 && (2 + 3) * 4 == 20",
    "9007199254740993 > 9007199254740992.0",
    "-0.0 == 0 && 0x10 == 16 && 1e3 == 1000 && .5 < 1",
    "handoff.big > 9223372036854775807 && handoff.big == handoff.big && handoff.big > 0",
    "-9223372036854775808 < 0",
    // Texts.
    "handoff.intent.contains('backup') && handoff.intent.startsWith('Delete') && handoff.intent.endsWith('übung')",
    "size(handoff.intent) == 26 && handoff.empty.size() == 0 && handoff.empty == ''",
    "handoff.intent.matches('(?i)^delete .*') && matches(target.id, r'^\\w+\\.lead$') && !target.id.matches('^lead')",
    "handoff.risk + '-' + handoff.id == 'high-17' && 'a' < 'b' && 'B' < 'a'",
    "'\\u00fc\\n\\x41\\101\\'' == \"ü\\nAA'\" && r'\\d' == '\\\\d' && '''it's''' == \"it's\"",
    "int(handoff.id) == 17 && double(handoff.id) == 17.0 && string(handoff.priority) == '3' && bool('true')",
    "int(7.9) == 7 && int(-7.9) == -7 && string(2.5) == '2.5' && string(true) == 'true' && string('x') == 'x'",
    // Lists and maps.
    "size(handoff.tags) == 2 && handoff.tags.size() == 2 && size(handoff.none) == 0 && size(session.variables) == 2",
    "handoff.tags[0] == 'prod' && handoff.tags[1.0] == 'data' && handoff.matrix[0][1] == 2",
    "handoff.tags == ['prod', 'data'] && ['prod', 'data'] == handoff.tags && handoff.tags != ['data', 'prod']",
    "handoff.matrix[0] in [[1, 2]] && [3.0] in handoff.matrix && handoff.same == handoff.twin",
    "handoff.tags + ['x'] == ['prod', 'data', 'x'] && [] + handoff.none == []",
    "'a' in session.variables && !('c' in session.variables) && session.variables.exists(k, k == 'b')",
    "handoff.tags.all(t, size(t) == 4) && handoff.tags.exists(t, t == 'data') && handoff.tags.exists_one(t, t == 'prod')",
    "handoff.none.all(t, false) && !handoff.none.exists(t, true)",
    "handoff.steps.filter(s, has(s.cost)).map(s, s.cost) == [1, 2.5]",
    "handoff.steps.map(s, has(s.cost), s.name) == ['a', 'b']",
    "handoff.matrix.all(row, row.all(x, x > 0)) && handoff.matrix.exists(row, size(row) == 1)",
    "handoff.tags.all(handoff, handoff != '')",
    "[1, 2].all(x, [x].exists(x, x > 0)) && [1].all(x, .handoff.urgent)",
    // Missing things.
    "has(handoff.cost) && !has(handoff.deadline) && has(handoff.note) && handoff.note == null",
    "!(has(handoff.deadline) && handoff.deadline > 5)",
    "handoff.deadline > 5 || handoff.urgent",
    "handoff.urgent || handoff.deadline > 5",
    "handoff.steps.exists(s, s.cost > 2)",
    "!handoff.steps.all(s, s.cost > 2)",
    // Choices, comments and lines.
    "handoff.priority > 2 ? handoff.urgent : false",
    "handoff.priority == 1 ? false : handoff.priority == 2 ? false : true",
    "handoff.urgent // always\n  && // and\n  session.owner == 'mia'",
    "handoff.risk != 5 && handoff.id != 17 && null != 0",
];

const DO_NOT_HOLD: &[&str] = &[
    "false",
    "!handoff.urgent",
    "handoff.cost > 5",
    "handoff.risk == 'low'",
    "handoff.priority > 3.5",
    "handoff.tags == ['prod']",
    "handoff.deadline > 5 && false",
    "false && handoff.deadline > 5",
    "has(handoff.deadline) && handoff.deadline > 5",
    "handoff.steps.all(s, s.name == 'a')",
    "handoff.tags.exists_one(t, size(t) == 4)",
    "handoff.big == 18446744073709551614.0 && handoff.big == 18446744073709551616.0",
    "handoff.id == 17",
];

#[test]
fn holds_or_not() {
    for (table, expected) in [(HOLD, true), (DO_NOT_HOLD, false)] {
        for source in table {
            assert_eq!(answer(source), Ok(expected), "{source}");
        }
    }
}

/// A map of the standard library would give its keys in another order each time.
#[test]
fn the_keys_of_a_map_have_an_order() {
    assert_eq!(answer("session.variables.map(k, k) == ['a', 'b']"), Ok(true));
}

#[test]
fn an_expression_is_its_source() {
    let one = compile("handoff.urgent");
    assert_eq!(one, one.clone());
    assert_eq!(one, compile("handoff.urgent"));
    assert_ne!(one, compile("handoff.urgent "));
    assert_eq!((one.source(), format!("{one:?}")), ("handoff.urgent", "Expression(\"handoff.urgent\")".to_owned()));
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&one);
}
