//! What a schema is, and what it says of data.

use super::*;
use serde_json::json;

fn faults(all: &[Fault]) -> Vec<String> {
    all.iter().map(|fault| format!("{}: {}", fault.at, fault.message)).collect()
}

#[test]
fn data_is_held_against_its_shape() {
    let table = [
        (json!(true), json!(1), vec![]),
        (json!(false), json!(1), vec![": nothing may be here"]),
        (json!({"type": "integer"}), json!(1.0), vec![]),
        (json!({"type": "integer"}), json!(1.5), vec![": it is number, integer is needed"]),
        (json!({"type": ["string", "null"]}), json!(1), vec![": it is number, string or null is needed"]),
        (json!({"enum": [1, "a"]}), json!(1.0), vec![]),
        (json!({"enum": [1, "a"]}), json!("b"), vec![": \"b\" is none of [1,\"a\"]"]),
        (json!({"const": {"a": [1]}}), json!({"a": [2]}), vec![": it must be {\"a\":[1]}"]),
        (json!({"minimum": 1, "exclusiveMaximum": 3}), json!(3), vec![": 3 is not less than 3"]),
        (json!({"minimum": 1, "maximum": 3}), json!(0), vec![": 0 is not at least 1"]),
        (json!({"minLength": 2}), json!("ü"), vec![": 1 characters, at least 2 are needed"]),
        (
            json!({"maxLength": 1, "pattern": "^a"}),
            json!("ba"),
            vec![": 2 characters, at most 1 are allowed", ": it does not match ^a"],
        ),
        (
            json!({"items": {"type": "string"}, "minItems": 3}),
            json!(["a", 1]),
            vec![": 2 items, at least 3 are needed", "[1]: it is number, string is needed"],
        ),
        (
            json!({"properties": {"a": {"type": "object", "required": ["b"]}}, "additionalProperties": false}),
            json!({"a": {}, "c": 1}),
            vec!["a.b: it is missing", "c: there is no such field"],
        ),
        (
            json!({"additionalProperties": {"type": "number"}}),
            json!({"a": "x"}),
            vec!["a: it is string, number is needed"],
        ),
        (json!({"maxProperties": 1}), json!({"a": 1, "b": 2}), vec![": 2 fields, at most 1 are allowed"]),
        (
            json!({"anyOf": [{"type": "string"}, {"minimum": 5}]}),
            json!(3),
            vec![": it fits none of the shapes that it may have"],
        ),
        (
            json!({"allOf": [{"type": "string"}, {"minLength": 2}]}),
            json!("a"),
            vec![": 1 characters, at least 2 are needed"],
        ),
        (json!({"not": {"type": "string"}}), json!("a"), vec![": it has a shape that it must not have"]),
    ];
    for (schema, value, expected) in table {
        assert_eq!(Schema::from(schema.clone()).mistakes(), [], "{schema}");
        assert_eq!(faults(&Schema::from(schema.clone()).check(&value)), expected, "{schema} of {value}");
    }
}

#[test]
fn a_schema_that_cannot_be_is_told_before_it_is_used() {
    let table = [
        (json!(7), ": a schema is an object, true or false"),
        (
            json!({"type": "text"}),
            "type: it is one of null, boolean, integer, number, string, array, object, or a list of these",
        ),
        (
            json!({"type": []}),
            "type: it is one of null, boolean, integer, number, string, array, object, or a list of these",
        ),
        (json!({"minimun": 1}), "minimun: the keyword is not understood; did you mean `minimum`?"),
        (json!({"properties": {"a": {"minLength": -1}}}), "properties.a.minLength: it is a count"),
        (json!({"properties": []}), "properties: it has a schema for each field"),
        (json!({"items": {"maximum": "3"}}), "items.maximum: it is a number"),
        (json!({"anyOf": [true, 3]}), "anyOf[1]: a schema is an object, true or false"),
        (json!({"allOf": []}), "allOf: it is a list of schemas"),
        (json!({"required": "a"}), "required: it is a list of names"),
        (json!({"enum": []}), "enum: it is a list of values"),
        (json!({"pattern": "("}), "pattern: it is no regular expression, or takes more than SCHEMA_PATTERN_BYTES_MAX"),
        (
            json!({"pattern": "(\\w{100}){100}"}),
            "pattern: it is no regular expression, or takes more than SCHEMA_PATTERN_BYTES_MAX",
        ),
    ];
    for (schema, expected) in table {
        assert_eq!(faults(&Schema::from(schema.clone()).mistakes()), [expected], "{schema}");
    }
    let far = Schema::from(json!({"$ref": "#/x"})).mistakes();
    assert!(far[0].message.starts_with("the keyword is not understood; known are type, "), "{far:?}");
}

#[test]
fn neither_depth_nor_count_is_without_a_bound() {
    let deep = (0..limits::JSON_DEPTH_MAX + 1).fold(json!({}), |inner, _| json!({"not": inner}));
    assert!(Schema::from(deep).mistakes()[0].message.contains("nested too deep"));
    let many: Vec<u32> = (0..1_000).collect();
    let found = Schema::from(json!({"items": {"type": "string"}})).check(&json!(many));
    assert_eq!(found.len(), limits::SCHEMA_FAULTS_MAX);
}

#[test]
fn a_pattern_is_compiled_once_and_the_schema_stays_as_written() {
    let written = json!({"items": {"pattern": "^a", "not": {"allOf": [{"pattern": "^a"}, {"pattern": "b$"}]}}});
    let schema = Schema::from(written.clone());
    let mut known = Patterns::default();
    schema.prepare(&mut known);
    assert_eq!(known.len(), 2);
    let kept: *const _ = schema.patterns();
    assert_eq!(faults(&schema.check(&json!(["a", "b"]))), ["[1]: it does not match ^a"]);
    assert_eq!(kept, schema.patterns() as *const _);
    assert_eq!(serde_json::to_value(&schema).unwrap(), written);
    assert_eq!(serde_json::from_value::<Schema>(written).unwrap(), schema);
    assert_ne!(Schema::from(json!({"pattern": "^a"})), Schema::from(json!({"pattern": "^b"})));
}

#[test]
fn patterns_are_bounded() {
    let long = "a".repeat(limits::SCHEMA_PATTERN_TEXT_BYTES_MAX + 1);
    let told = Schema::from(json!({"pattern": long})).mistakes();
    assert_eq!(faults(&told), ["pattern: it is longer than SCHEMA_PATTERN_TEXT_BYTES_MAX"]);
    let many: Vec<Value> = (0..=limits::SCHEMA_PATTERNS_MAX).map(|i| json!({"pattern": format!("{i}")})).collect();
    let told = Schema::from(json!({ "anyOf": many })).mistakes();
    let at = format!("anyOf[{}].pattern", limits::SCHEMA_PATTERNS_MAX);
    assert_eq!(faults(&told), [format!("{at}: the schemas have more different patterns than SCHEMA_PATTERNS_MAX")]);
}

#[test]
fn so_many_mistakes_of_one_schema_are_told() {
    let many: serde_json::Map<String, Value> = (0..1_000).map(|i| (format!("maxProp{i}"), json!(1))).collect();
    let told = Schema::from(json!({"anyOf": vec![Value::Object(many); 3]})).mistakes();
    assert_eq!(told.len(), limits::MISTAKES_MAX + 1);
}
