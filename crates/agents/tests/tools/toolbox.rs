//! Finding tools by name, and what a model is told of arguments that do not fit.

use crate::common::{boxed, call, called, context, names, patient, settings, tools};
use expect_test::expect;
use handover_agents::{
    model::Arguments,
    tool::{Tool, Tools, command::CommandTool},
};
use serde_json::{Value, json};
use std::{path::Path, sync::Arc};

fn weather() -> Value {
    json!({"tools": {
        "weather": {
            "description": "The weather of a city.",
            "command": ["cat"],
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string"},
                    "days": {"type": "integer", "maximum": 7},
                    "places": {"type": "array", "items": {"type": "object", "required": ["name"]}},
                },
                "required": ["city"],
                "additionalProperties": false,
            },
        },
        "time": {"description": "The time.", "command": ["date"]},
    }})
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_all_told_at_once() {
    let toolbox = boxed(&tools(weather(), patient()), &["weather"]).await;
    let given = json!({"days": "three", "places": [{"name": "a"}, {}], "town": "Rome"});
    let outcome = called(&toolbox, "weather", given).await;
    assert!(outcome.failed);
    expect![[r#"
        `weather` was not called: its arguments do not fit.
        - city: it is missing
        - days: it is string, integer is needed (given: "three")
        - places[1].name: it is missing
        - town: there is no such field (given: "Rome")
        It takes: city (string, required), days (integer), places (array).
        Mend the arguments and call it again."#]]
    .assert_eq(&outcome.content);
    let outcome = called(&toolbox, "weather", json!([1])).await;
    assert!(
        outcome.content.contains("- the arguments: an object with the arguments as its fields is needed (given: [1])")
    );
}

#[tokio::test]
async fn arguments_that_are_no_json_are_told() {
    let toolbox = boxed(&tools(weather(), patient()), &["weather"]).await;
    let mut broken = call("weather", json!({}));
    broken.arguments = Arguments::Broken { text: "{\"city\": ".into(), why: "it ends too early".into() };
    let outcome = toolbox.call(&broken, &context(1)).await;
    assert!(outcome.failed);
    expect![[r#"
        `weather` was not called: its arguments are no JSON object (it ends too early). They were: {"city": 
        It takes: city (string, required), days (integer), places (array)."#]]
    .assert_eq(&outcome.content);
}

#[tokio::test]
async fn a_name_that_is_not_known_is_told_with_the_nearest() {
    let tools = tools(weather(), patient());
    let toolbox = boxed(&tools, &["weather", "tiem"]).await;
    assert_eq!(names(&toolbox), ["weather"]);
    assert_eq!(toolbox.troubles(), ["there is no tool `tiem`; did you mean `time`? There are: time, weather"]);
    let outcome = called(&toolbox, "wether", json!({})).await;
    expect![[r#"
        there is no tool `wether`; did you mean `weather`? There are: weather
        Note: there is no tool `tiem`; did you mean `time`? There are: time, weather"#]]
    .assert_eq(&outcome.content);
    // What an agent was not given it cannot call.
    assert!(called(&toolbox, "time", json!({})).await.failed);
    assert!(
        boxed(&tools, &[]).await.find("time").is_err_and(|why| why == "there is no tool `time`: there are no tools")
    );
}

#[tokio::test]
async fn a_tool_of_this_process_goes_with_the_others() {
    let given = settings(weather());
    let tool = |name: &str| -> Arc<dyn Tool> { Arc::new(CommandTool::new(name, &given.tools["time"], Path::new("."))) };
    let mut tools = Tools::new(&given, Path::new(".")).expect("tools");
    assert_eq!(tools.add(tool("clock")), Ok(()));
    assert!(tools.add(tool("time")).is_err_and(|why| why.contains("already")));
    assert!(tools.add(tool("a b")).is_err_and(|why| why.contains("cannot be a name")));
    assert_eq!(names(&boxed(&tools, &["clock", "weather", "clock"]).await), ["clock", "weather"]);
}
