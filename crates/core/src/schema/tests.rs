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
        assert_eq!(Schema(schema.clone()).mistakes(), [], "{schema}");
        assert_eq!(faults(&Schema(schema.clone()).check(&value)), expected, "{schema} of {value}");
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
        assert_eq!(faults(&Schema(schema.clone()).mistakes()), [expected], "{schema}");
    }
    let far = Schema(json!({"$ref": "#/x"})).mistakes();
    assert!(far[0].message.starts_with("the keyword is not understood; known are type, "), "{far:?}");
}

#[test]
fn neither_depth_nor_count_is_without_a_bound() {
    let deep = (0..limits::JSON_DEPTH_MAX + 1).fold(json!({}), |inner, _| json!({"not": inner}));
    assert!(Schema(deep).mistakes()[0].message.contains("nested too deep"));
    let many: Vec<u32> = (0..1_000).collect();
    let found = Schema(json!({"items": {"type": "string"}})).check(&json!(many));
    assert_eq!(found.len(), limits::SCHEMA_FAULTS_MAX);
}

/// What is not understood of another's schema refuses nothing; the rest still does.
#[test]
fn anothers_schema_counts_as_far_as_it_is_understood() {
    let table = [
        (json!({"type": "object", "$defs": {}, "format": "x", "required": ["a"]}), json!({}), vec!["a: it is missing"]),
        (json!({"properties": {"a": {"$ref": "#/$defs/A"}}}), json!({"a": 1}), vec![]),
        (json!({"not": {"$ref": "#/$defs/A"}}), json!(1), vec![]),
        (json!({"not": {"type": "string", "format": "date"}}), json!("a"), vec![]),
        (json!({"not": {"type": "string", "title": "A"}}), json!("a"), vec![": it has a shape that it must not have"]),
        (json!({"patternProperties": {"^x": true}, "additionalProperties": false}), json!({"xa": 1}), vec![]),
        (json!({"prefixItems": [true], "items": {"type": "string"}}), json!([1]), vec![]),
        (json!({"items": [{"type": "string"}]}), json!([1]), vec![]),
        (json!({"anyOf": [{"type": "null"}, {"$ref": "#/$defs/A"}]}), json!(5), vec![]),
        (json!({"anyOf": [{"type": "null"}, {"type": "string"}]}), json!("x"), vec![]),
        (json!({"minimum": 5, "exclusiveMinimum": true, "type": "file"}), json!(4), vec![": 4 is not at least 5"]),
        (json!({"required": true, "pattern": "(?=a)", "properties": 1, "anyOf": []}), json!("b"), vec![]),
        (json!("no schema"), json!(1), vec![]),
        (
            json!({"properties": {"title": {"type": "string"}}}),
            json!({"title": 1}),
            vec!["title: it is number, string is needed"],
        ),
    ];
    for (schema, value, expected) in table {
        let read = Schema::lenient(&schema);
        assert_eq!(read.mistakes(), vec![], "{schema}");
        assert_eq!(faults(&read.check(&value)), expected, "{schema} {value}");
    }
}

#[test]
fn anothers_schema_counts_as_deep_as_values_may_be() {
    let deep = |times| (0..times).fold(json!({"type": "string"}), |inner, _| json!({"properties": {"a": inner}}));
    let value = |times| (0..times).fold(json!(1), |inner, _| json!({"a": inner}));
    assert_eq!(Schema::lenient(&deep(5)).check(&value(5)).len(), 1);
    assert_eq!(Schema::lenient(&deep(200)).check(&value(200)), vec![]);
    assert_eq!(Schema::lenient(&deep(200)).mistakes(), vec![]);
}
