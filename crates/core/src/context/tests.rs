//! Views and their manifests, from conversations written as text.

use super::*;
use crate::{
    handoff::{Kind, Request},
    ids::AgentId,
    limits,
    message::{Mark, Message, NewMessage, Role, ToolCall},
    time::Timestamp,
};
use expect_test::{Expect, expect};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeMap;

/// A conversation, one message on each line: `user: text`, `agent: text`, `system: text`, `agent: call tool id`,
/// `result tool id: text`, `agent: think text`.
pub(super) fn conversation(text: &str) -> (Mark, Vec<Message>) {
    let mut mark = Mark::default();
    let mut messages = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let said = said(line);
        let tokens = tokens::of_message(&said);
        mark.push(&said, tokens);
        messages.push(Message { n: mark.messages, at: Timestamp(0), said, tokens, redacted: BTreeMap::new() });
    }
    (mark, messages)
}

fn said(line: &str) -> NewMessage {
    let (who, text) = line.split_once(": ").unwrap();
    let words: Vec<&str> = text.split(' ').collect();
    let names: Vec<&str> = who.split(' ').collect();
    let mut said = match (names[0], words[0]) {
        ("user", _) => NewMessage::new(Role::User, text),
        ("system", _) => NewMessage::new(Role::System, text),
        ("result", _) => NewMessage::new(Role::Tool, text),
        (_, "call") => NewMessage::new(Role::Assistant, ""),
        (_, _) => NewMessage::new(Role::Assistant, text.trim_start_matches("think ")),
    };
    match said.role {
        Role::Tool => (said.tool_name, said.tool_call_id) = (Some(names[1].into()), Some(names[2].into())),
        Role::Assistant => said.agent = Some(AgentId::new(who).unwrap()),
        Role::System | Role::User => {}
    }
    said.reasoning = words[0] == "think";
    if words[0] == "call" {
        said.tool_calls = vec![ToolCall { id: words[2].into(), name: words[1].into(), arguments: json!({"q": 1}) }];
    }
    said
}

fn request(mode: TransferMode, most: Option<usize>, task: &str) -> Request {
    let mut request = Request::new(Kind::Sequential, AgentId::new("a").unwrap(), task);
    request.context.transfer.mode = Some(mode);
    request.context.transfer.max_messages = most;
    request
}

/// What the plan asks for, of all that there is.
fn read(need: &Need, messages: &[Message]) -> Vec<Message> {
    let needed = |message: &&Message| need.ranges.iter().any(|(first, last)| (*first..=*last).contains(&message.n));
    messages.iter().filter(needed).cloned().collect()
}

fn view(request: &Request, said: &str, known: Option<&[String]>) -> View {
    let (mark, messages) = conversation(said);
    build(request, &mark, &read(&plan(request, &mark), &messages), known)
}

fn check(request: &Request, said: &str, expected: &Expect) {
    let view = view(request, said, None);
    let mut text = String::new();
    for item in &view.items {
        let mark = if item.described { " (described)" } else { "" };
        text += &format!("{}{mark} {:?} {}\n", item.n, item.said.role, item.said.content.replace('\n', " / "));
    }
    if let Some(summary) = &view.summary {
        text += &format!("summary\n{summary}\n");
    }
    for withheld in &view.manifest.withheld {
        text += &format!("withheld {} {:?}\n", withheld.messages, withheld.why);
    }
    expected.assert_eq(&text);
}

const STORY: &str = "
    system: Be brief.
    user: My order 4711 arrived broken and I want a refund.
    support: Sorry to hear that! Which card did you pay with?
    user: The blue one. By the way, the weather is lovely here.
    support: call lookup c1
    result lookup c1: order 4711 paid by card
    support: think the customer seems friendly
    support: The lookup says that order 4711 was paid by card.
    user: Do you like cats?
    support: Cats are fine animals.
    user: My dog is called Bello.
    support: A nice name for a dog.
    user: He eats a lot.
    support: Dogs do.
    user: So what happens now?
    support: Let me hand you over.";

#[test]
fn what_bears_on_the_task_is_shown() {
    let task = "Issue the refund for order 4711 to the card";
    check(
        &request(TransferMode::RelevantOnly, None, task),
        STORY,
        &expect![[r#"
            2 User My order 4711 arrived broken and I want a refund.
            3 Assistant Sorry to hear that! Which card did you pay with?
            5 Assistant 
            6 Tool order 4711 paid by card
            8 Assistant The lookup says that order 4711 was paid by card.
            15 User So what happens now?
            16 Assistant Let me hand you over.
            withheld 1 ReasoningExcluded
            withheld 8 NotRelevant
        "#]],
    );
    check(
        &request(TransferMode::RelevantOnly, Some(3), task),
        STORY,
        &expect![[r#"
        2 User My order 4711 arrived broken and I want a refund.
        15 User So what happens now?
        16 Assistant Let me hand you over.
        withheld 1 ReasoningExcluded
        withheld 12 NotRelevant
    "#]],
    );
    check(
        &request(TransferMode::RelevantOnly, Some(0), task),
        STORY,
        &expect![[r#"
        withheld 1 ReasoningExcluded
        withheld 15 NotRelevant
    "#]],
    );
    check(
        &request(TransferMode::RelevantOnly, None, "zebra"),
        STORY,
        &expect![[r#"
        2 User My order 4711 arrived broken and I want a refund.
        13 User He eats a lot.
        14 Assistant Dogs do.
        15 User So what happens now?
        16 Assistant Let me hand you over.
        withheld 1 ReasoningExcluded
        withheld 10 NotRelevant
    "#]],
    );
}

#[test]
fn it_works_in_other_languages() {
    let said = "
        user: 我的订单坏了，我要退款。
        support: 今天天气很好。
        support: 你喜欢猫吗？
        user: 喜欢。
        support: 退款需要三天。
        user: 狗也不错。
        support: 对。
        user: 然后呢？
        support: 请稍等。";
    check(
        &request(TransferMode::RelevantOnly, Some(4), "处理退款"),
        said,
        &expect![[r#"
        1 User 我的订单坏了，我要退款。
        5 Assistant 退款需要三天。
        8 User 然后呢？
        9 Assistant 请稍等。
        withheld 5 NotRelevant
    "#]],
    );
    check(
        &request(TransferMode::Summary, None, "处理退款"),
        said,
        &expect![[r#"
            8 User 然后呢？
            9 Assistant 请稍等。
            summary
            #1 user: 我的订单坏了，我要退款。
            #5 support: 退款需要三天。
            withheld 7 Summarised
        "#]],
    );
}

#[test]
fn a_summary_says_who_said_what() {
    check(
        &request(TransferMode::Summary, None, "Issue the refund for order 4711"),
        STORY,
        &expect![[r#"
            15 User So what happens now?
            16 Assistant Let me hand you over.
            summary
            #2 user: My order 4711 arrived broken and I want a refund.
            #8 support: The lookup says that order 4711 was paid by card.
            withheld 1 ReasoningExcluded
            withheld 13 Summarised
        "#]],
    );
}

#[test]
fn a_full_view_is_cut_from_the_old_end() {
    check(
        &request(TransferMode::Full, Some(3), "x"),
        STORY,
        &expect![[r#"
        14 Assistant Dogs do.
        15 User So what happens now?
        16 Assistant Let me hand you over.
        withheld 1 ReasoningExcluded
        withheld 12 OverMaxMessages
    "#]],
    );
    // The cut separates a result from its call: it is told in words.
    let said = "user: go\n a: call lookup c1\n result lookup c1: line one\n a: done";
    check(
        &request(TransferMode::Full, Some(2), "x"),
        said,
        &expect![[r#"
        3 (described) User [the tool lookup answered] / > line one
        4 Assistant done
        withheld 2 OverMaxMessages
    "#]],
    );
}

#[test]
fn tools_that_the_receiver_lacks_are_told_in_words() {
    let said = "a: call search c1\n result search c1: found\n a: call pay c2\n result pay c2: paid\n a: call open c3";
    let request = request(TransferMode::Full, Some(10), "x");
    let (mark, messages) = conversation(said);
    let known = ["search".to_owned()];
    for (known, expected) in [(None, vec![]), (Some(&known[..]), vec![3, 4, 5]), (Some(&[][..]), vec![1, 2, 3, 4, 5])] {
        let view = build(&request, &mark, &messages, known);
        let described: Vec<u64> = view.items.iter().filter(|item| item.described).map(|item| item.n).collect();
        assert_eq!(described, expected, "{known:?}");
        assert_eq!(page(&request, &view.manifest, &messages, known), view.items);
    }
    assert_eq!(described(&messages[2]), "[a called the tool pay with {\"q\":1}]");
    assert_eq!(described(&messages[3]), "[the tool pay answered]\n> paid");
}

#[test]
fn results_without_calls_are_told_in_words() {
    let mut request = request(TransferMode::Full, None, "x");
    request.context.transfer.include.tool_calls = false;
    let (mark, messages) = conversation("a: call search c1\n result search c1: found");
    let view = build(&request, &mark, &messages, None);
    assert_eq!(view.items.iter().map(|item| (item.n, item.described)).collect::<Vec<_>>(), [(2, true)]);
}

#[test]
fn a_plan_reads_little() {
    use TransferMode::{Full, RelevantOnly, Summary};
    for (mode, most, messages, expected) in [
        (Full, None, 20_000, vec![]),
        (Full, Some(20_000), 20_000, vec![]),
        (Full, Some(5), 20_000, vec![(19_986, 20_000)]),
        (Full, Some(5_000), 20_000, vec![(19_001, 20_000)]),
        (Full, Some(0), 20_000, vec![]),
        (Summary, None, 20_000, vec![(1, 3), (19_951, 20_000)]),
        (RelevantOnly, Some(50), 53, vec![(1, 53)]),
        (RelevantOnly, None, 54, vec![(1, 3), (5, 54)]),
        (RelevantOnly, None, 0, vec![]),
    ] {
        let mut mark = Mark { messages, ..Mark::default() };
        mark.tallies.insert(Class::Reasoning, crate::message::Tally { messages: 10.min(messages), tokens: 1 });
        assert_eq!(plan(&request(mode, most, "x"), &mark).ranges, expected, "{mode:?} {most:?} {messages}");
    }
}

#[test]
fn a_whole_view_needs_only_the_mark() {
    let (mark, _) = conversation(STORY);
    let mut request = request(TransferMode::Full, None, "x");
    let manifest = build(&request, &mark, &[], None).manifest;
    assert_eq!((manifest.shown_messages, manifest.shown.clone()), (15, vec![(1, 16)]));
    assert_eq!((manifest.left_out.clone(), manifest.withheld[0].why), (vec![Class::Reasoning], Why::ReasoningExcluded));
    assert_ne!(manifest.digest, mark.digest);
    assert!(recallable(&manifest, 7) && !recallable(&manifest, 17) && !recallable(&manifest, 0));
    assert_eq!(withheld_ranges(&manifest), [(1, 16)]);
    request.context.transfer.include.agent_reasoning = true;
    let manifest = build(&request, &mark, &[], None).manifest;
    assert_eq!(manifest.digest, mark.digest);
    assert!(!recallable(&manifest, 7) && withheld_ranges(&manifest).is_empty());
}

#[test]
fn a_manifest_is_written_briefly() {
    let manifest = view(&request(TransferMode::RelevantOnly, Some(2), "refund"), STORY, None).manifest;
    let text = serde_json::to_string(&manifest).unwrap();
    assert_eq!(serde_json::from_str::<Manifest>(&text).unwrap(), manifest);
    expect![[r#"{"mode":"relevant_only","watermark":16,"shown":[[2,2],[16,16]],"shown_messages":2,"shown_tokens":19,"withheld":[{"why":"reasoning_excluded","messages":1,"tokens":4},{"why":"not_relevant","messages":13,"tokens":91}],"total_messages":16,"total_tokens":114,"summary_tokens":0,"digest":"a3667d419931d0a41e8b83cc8739c402d77cfc31ffb50f5a8f8c20a4d214f97f"}"#]].assert_eq(&text);
    assert_eq!(withheld_ranges(&manifest), [(1, 1), (3, 15)]);
}

#[test]
fn what_is_left_out_of_an_include_has_its_default() {
    assert_eq!(serde_json::from_str::<Include>("{}").unwrap(), Include::default());
    let include: Include = serde_json::from_str(r#"{"agent_reasoning":true,"tool_calls":false}"#).unwrap();
    assert!(include.admits(Class::Reasoning) && include.admits(Class::System) && include.admits(Class::Talk));
    assert!(!include.admits(Class::ToolCall));
    assert!(serde_json::from_str::<Include>(r#"{"thoughts":true}"#).is_err());
}

fn lines() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        "user: [a-e]{1,3} refund [a-e]{1,3}\\. [a-z ]{0,20}",
        "support: [a-e ]{0,20}x",
        "support: think [a-e ]{0,9}x",
        "system: [a-e]{1,9}",
        "support: call (pay|look) c[1-4]",
        "result (pay|look) c[1-4]: [a-e]{1,9}",
    ];
    prop::collection::vec(line, 0..60)
}

fn requests() -> impl Strategy<Value = Request> {
    use TransferMode::{Full, RelevantOnly, Summary};
    let mode = prop::sample::select(vec![Full, RelevantOnly, Summary]);
    (mode, prop::option::of(0..30usize), any::<[bool; 4]>()).prop_map(|(mode, most, [a, b, c, d])| {
        let mut request = request(mode, most, "refund abc");
        request.context.transfer.include =
            Include { system_messages: a, tool_calls: b, tool_results: c, agent_reasoning: d, asides: false };
        request
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn sums_hold_and_views_are_sound(lines in lines(), repeat in 1..8usize, request in requests()) {
        let (mark, messages) = conversation(&vec![lines.join("\n"); repeat].join("\n"));
        let need = plan(&request, &mark);
        let read = read(&need, &messages);
        prop_assert!(read.len() <= limits::PAGE_MAX);
        let View { items, summary, manifest } = build(&request, &mark, &read, None);
        let withheld = manifest.withheld.iter().fold((0, 0), |sum, w| (sum.0 + w.messages, sum.1 + w.tokens));
        prop_assert_eq!(manifest.shown_messages + withheld.0, manifest.total_messages);
        prop_assert_eq!(manifest.shown_tokens + withheld.1, manifest.total_tokens);
        prop_assert_eq!(manifest.total_messages, mark.messages);
        prop_assert_eq!(summary.is_some(), manifest.summary_tokens > 0);

        let shown: Vec<u64> = messages.iter().filter(|m| manifest.shows(m.n, m.said.class())).map(|m| m.n).collect();
        prop_assert_eq!(shown.len() as u64, manifest.shown_messages);
        let ranges = withheld_ranges(&manifest);
        for message in &messages {
            let recall = ranges.iter().any(|(first, last)| (*first..=*last).contains(&message.n));
            prop_assert_eq!(recall, recallable(&manifest, message.n));
            prop_assert!(recall || shown.contains(&message.n));
        }
        if !need.ranges.is_empty() {
            prop_assert_eq!(items.iter().map(|item| item.n).collect::<Vec<_>>(), shown);
            let most = request.context.transfer.max_messages.unwrap_or(usize::MAX);
            prop_assert!(items.len() <= most);
            // No result stands without its call, and no call without its result.
            let calls: Vec<&str> = items.iter().flat_map(|i| &i.said.tool_calls).map(|call| call.id.as_str()).collect();
            let results: Vec<&str> = items.iter().filter_map(|item| item.said.tool_call_id.as_deref()).collect();
            prop_assert!(results.iter().all(|id| calls.contains(id)));
        }
        prop_assert_eq!(build(&request, &mark, &read, None).manifest, manifest);
    }
}
