//! Providers as they are set: the address, the key, the headers, and what is wrong with a setting.

use crate::server::{Act, Server, ask, fine, provider};
use handover_agents::model::{Api, Client, Provider, Trouble};
use handover_core::time::Timestamp;
use handover_engine::clock::ManualClock;
use std::sync::Arc;

fn made(provider: &str, env: &[(&str, &str)]) -> Result<String, String> {
    let provider: Provider = serde_json::from_str(provider).map_err(|error| error.to_string())?;
    let env = |name: &str| env.iter().find(|(found, _)| *found == name).map(|(_, value)| (*value).to_owned());
    let clock = Arc::new(ManualClock::at(Timestamp(0)));
    match Client::with(provider, &env, clock) {
        Ok(client) => {
            let shown = format!("{client:?}");
            assert!(!shown.contains("secret"), "{shown}");
            let url = shown.split('"').nth(1).unwrap();
            Ok(url.to_owned())
        }
        Err(error) => {
            assert!(matches!(error.trouble, Trouble::Key | Trouble::Question), "{error:?}");
            Err(error.message)
        }
    }
}

#[test]
fn the_address_comes_from_the_settings_or_the_environment() {
    let openai = ("OPENAI_BASE_URL", "http://localhost:8000/v1/");
    let anthropic = ("ANTHROPIC_BASE_URL", "http://localhost:8000");
    for (provider, env, expected) in [
        (
            r#"{"api":"openai","base_url":"http://localhost:11434/v1"}"#,
            vec![],
            "http://localhost:11434/v1/chat/completions",
        ),
        (r#"{"api":"openai","base_url":"http://a/v1"}"#, vec![openai], "http://a/v1/chat/completions"),
        (r#"{"api":"openai"}"#, vec![openai], "http://localhost:8000/v1/chat/completions"),
        (r#"{"api":"anthropic"}"#, vec![anthropic], "http://localhost:8000/v1/messages"),
        (r#"{"api":"anthropic","base_url":"http://a/v1/"}"#, vec![], "http://a/v1/messages"),
    ] {
        assert_eq!(made(provider, &env).unwrap(), expected, "{provider}");
    }
}

#[test]
fn a_wrong_setting_is_told() {
    let key = ("OPENAI_API_KEY", "secret");
    for (provider, env, expected) in [
        (r#"{"api":"openai"}"#, vec![], "there is no key: set the environment variable OPENAI_API_KEY"),
        (
            r#"{"api":"openai"}"#,
            vec![("OPENAI_API_KEY", " ")],
            "there is no key: set the environment variable OPENAI_API_KEY",
        ),
        (r#"{"api":"anthropic"}"#, vec![key], "there is no key: set the environment variable ANTHROPIC_API_KEY"),
        (r#"{"api":"openai","key_env":"MINE"}"#, vec![key], "there is no key: set the environment variable MINE"),
        (
            r#"{"api":"openai","base_url":"http://a"}"#,
            vec![("OPENAI_API_KEY", "se\ncret")],
            "the key in OPENAI_API_KEY holds characters that no key has",
        ),
        (r#"{"api":"openai","base_url":"localhost"}"#, vec![], "base_url is no address: relative URL without a base"),
        (
            r#"{"api":"openai","base_url":"ftp://a"}"#,
            vec![],
            "base_url must begin with http:// or https:// and name a host",
        ),
        (
            r#"{"api":"openai","base_url":"http://u:p@a"}"#,
            vec![],
            "base_url must hold no name and no password; put the key into an environment variable",
        ),
        (r#"{"api":"openai","base_url":"http://a?x=1"}"#, vec![], "base_url must end with its path, without ? and #"),
        (
            r#"{"api":"openai","base_url":"http://a","timeout_ms":0}"#,
            vec![],
            "timeout_ms is 0; it must be between 1 and 3600000 (MODEL_MS_MAX)",
        ),
        (
            r#"{"api":"openai","base_url":"http://a","idle_ms":3600001}"#,
            vec![],
            "idle_ms is 3600001; it must be between 1 and 3600000 (MODEL_MS_MAX)",
        ),
        (r#"{"api":"openai","base_url":"http://a","temperature":3}"#, vec![], "temperature must be between 0 and 2"),
        (
            r#"{"api":"openai","base_url":"http://a","max_output_tokens":0}"#,
            vec![],
            "max_output_tokens must be at least 1",
        ),
        (r#"{"api":"openai","base_url":"http://a","headers":{"a b":"c"}}"#, vec![], "\"a b\" is no name of a header"),
        (
            r#"{"api":"openai","base_url":"http://a","headers":{"x":"a\nb"}}"#,
            vec![],
            "the value of the header x cannot be sent",
        ),
        (
            r#"{"api":"gemini"}"#,
            vec![],
            "unknown variant `gemini`, expected `openai` or `anthropic` at line 1 column 15",
        ),
    ] {
        assert_eq!(made(provider, &env).unwrap_err(), expected, "{provider}");
    }
    assert!(made(r#"{"api":"openai","key":"sk-1"}"#, &[]).unwrap_err().starts_with("unknown field `key`"));
}

#[tokio::test]
async fn each_interface_is_asked_in_its_way() {
    let message = r#"{"content":[{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}"#;
    let whole = Act::Answer(200, vec![("content-type", "application/json".into())], message.into());
    for (api, act, expected) in [
        (
            Api::Openai,
            fine("Hi"),
            vec!["POST /v1/chat/completions", "authorization: Bearer the-key-1234", "\"max_tokens\":9"],
        ),
        (
            Api::Anthropic,
            whole,
            vec!["POST /v1/messages", "x-api-key: the-key-1234", "anthropic-version: 2023-06-01", "\"max_tokens\":9"],
        ),
    ] {
        let server = Server::start(vec![act]).await;
        let mut provider = provider(api, &server.url);
        provider.headers.insert("x-more".into(), "this".into());
        provider.max_output_tokens = Some(9);
        provider.temperature = Some(0.5);
        assert_eq!(ask(provider).await.reply.unwrap().text, "Hi");
        let got = server.got.lock()[0].clone();
        for part in expected.into_iter().chain([
            "x-more: this",
            "\"temperature\":0.5",
            "\"stream\":true",
            "traceparent: 00-0af7",
        ]) {
            assert!(got.contains(part), "{part} is not in {got}");
        }
    }
}
