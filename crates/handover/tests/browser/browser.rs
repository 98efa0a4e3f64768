//! What a person does with a browser: looks, waits until something is to be seen, types and presses.

use crate::driver::Driver;
use fantoccini::{
    Client,
    actions::{InputSource as _, KeyAction, KeyActions},
    elements::Element,
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long a person waits for something to appear.
const WAIT: Duration = Duration::from_secs(60);
/// How long a person waits before a key is pressed again, and how often it is.
const SOON: Duration = Duration::from_secs(1);
const TRIES: usize = 20;
/// Waits in the page itself until it is whole and a condition holds, and gives what it found.
const UNTIL: &str = "\
const [test, args, wait, done] = arguments, holds = new Function(...['a', 'b', 'c'].slice(0, args.length), test);
const end = performance.now() + wait;
(function look() {
  let found; try { found = document.readyState === 'complete' && holds(...args); } catch (error) { found = null; }
  if (found) done(found); else if (performance.now() > end) done(null); else setTimeout(look, 20);
})();";
/// The text that is to be seen, on one line, in small letters.
const TEXT: &str = "document.body.innerText.replace(/\\s+/g, ' ').toLowerCase()";
/// Finds what is called so: by its label, its own words, or what stands for them.
const NAMED: &str = "\
const plain = text => (text || '').replace(/\\s+/g, ' ').trim().toLowerCase(), wanted = plain(b);
const name = e => [e.getAttribute('aria-label'), e.innerText, e.value, e.title, e.placeholder,
  ...[...(e.labels || [])].map(label => label.innerText)].map(plain);
const within = document.querySelector(c), all = [...(within ? within.querySelectorAll(a) : [])].filter(e => e.checkVisibility({visibilityProperty: true}));
const by = test => all.find(e => name(e).some(test));
return by(n => n === wanted) || by(n => n.startsWith(wanted)) || by(n => n.includes(wanted));";
/// Pages look by themselves once in a while, heard or not. Here they do not: what is seen was heard of.
const HEARS_ONLY: &str = "const every = setInterval; \
window.setInterval = (act, wait, ...rest) => wait > 10000 ? 0 : every(act, wait, ...rest);";
const PRESSED: &str = "button, a, summary, input[type=submit], [role=button], [role=tab]";
const FILLED: &str = "textarea, select, input:not([type=hidden]):not([type=submit])";

/// How large the window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    Desktop,
    Phone,
}

pub struct Browser {
    client: Client,
    driver: Driver,
}

impl Browser {
    pub async fn open(size: Size, dark: bool) -> Self {
        let mut driver = Driver::start();
        let client = driver.client().await;
        let browser = Self { client, driver };
        browser.tells("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": HEARS_ONLY }));
        browser.looks(size, dark);
        browser
    }

    /// Another window, or other colours, from now on.
    pub fn looks(&self, size: Size, dark: bool) {
        match size {
            Size::Desktop => self.window(1280, 900, 1, false),
            Size::Phone => self.window(390, 844, 2, true),
        }
        self.media("", dark, false);
    }

    /// Shown on this: paper, or a screen where nothing is said; and whether things may move.
    pub fn media(&self, on: &str, dark: bool, moves: bool) {
        let features = json!([
            {"name": "prefers-color-scheme", "value": if dark { "dark" } else { "light" }},
            {"name": "prefers-reduced-motion", "value": if moves { "no-preference" } else { "reduce" }},
        ]);
        self.tells("Emulation.setEmulatedMedia", &json!({ "media": on, "features": features }));
    }

    fn window(&self, width: u32, height: u32, scale: u32, mobile: bool) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": scale, "mobile": mobile});
        self.tells("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// A command of Chromium's own.
    pub fn tells(&self, command: &str, params: &Value) -> Value {
        self.driver.ask("goog/cdp/execute", &json!({"cmd": command, "params": params}))
    }

    pub async fn goto(&self, url: &str) {
        self.client.goto(url).await.unwrap_or_else(|error| panic!("{url}: {error}"));
    }

    pub async fn back(&self) {
        self.client.back().await.unwrap();
    }

    pub async fn url(&self) -> String {
        self.client.current_url().await.unwrap().to_string()
    }

    pub async fn run(&self, script: &str, args: Vec<Value>) -> Value {
        self.client.execute(script, args).await.unwrap_or_else(|error| panic!("{error}"))
    }

    pub async fn run_async(&self, script: &str, args: Vec<Value>) -> Value {
        self.client.execute_async(script, args).await.unwrap_or_else(|error| panic!("{error}"))
    }

    /// Waits until a condition holds in the page, over pages that come and go.
    async fn until(&self, test: &str, args: &[&str]) -> Option<Value> {
        self.until_in(WAIT, test, args).await
    }

    async fn until_in(&self, time: Duration, test: &str, args: &[&str]) -> Option<Value> {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let waits = vec![json!(test), json!(args), json!(u64::try_from(left.as_millis()).unwrap())];
            match self.client.execute_async(UNTIL, waits).await {
                Ok(Value::Null) => return None,
                Ok(found) => return Some(found),
                // Another page has come, and what is waited for may be on it.
                Err(error) if is_another_page(&error.to_string()) && !left.is_zero() => {}
                Err(error) => panic!("{test}: {error}"),
            }
        }
    }

    /// Waits until a condition holds, or fails with what is to be seen instead.
    pub async fn holds(&self, test: &str, args: &[&str]) -> Value {
        match self.until(test, args).await {
            Some(found) => found,
            None => {
                panic!("waited for `{test}` {args:?} at {}; to be seen is:\n{}", self.url().await, self.text().await)
            }
        }
    }

    /// Waits until this text is to be seen.
    pub async fn see(&self, text: &str) {
        self.holds(&format!("return {TEXT}.includes(a.toLowerCase())"), &[text]).await;
    }

    /// Waits until this text is not to be seen.
    pub async fn see_not(&self, text: &str) {
        self.holds(&format!("return !{TEXT}.includes(a.toLowerCase())"), &[text]).await;
    }

    /// Waits until the page hears of what happens.
    pub async fn is_live(&self) {
        self.holds("return document.getElementById('live').textContent === 'live'", &[]).await;
    }

    /// The same where a page may be one of the past, which stays what it is.
    pub async fn is_heard(&self) {
        self.holds("const live = document.getElementById('live'); return !live || live.textContent === 'live'", &[])
            .await;
    }

    /// Waits until something that this selector finds is to be seen.
    pub async fn see_one(&self, selector: &str) {
        let test = "return [...document.querySelectorAll(a)].some(e => e.checkVisibility({visibilityProperty: true}))";
        self.holds(test, &[selector]).await;
    }

    /// Waits until the address holds this.
    pub async fn at(&self, part: &str) {
        self.holds("return location.href.includes(a)", &[part]).await;
    }

    /// What is to be seen.
    pub async fn text(&self) -> String {
        self.run("return document.body.innerText", vec![]).await.as_str().unwrap_or_default().to_owned()
    }

    /// Whether something called so is offered at this moment.
    pub async fn is_offered(&self, name: &str) -> bool {
        let script = format!("return !!(function (a, b, c) {{ {NAMED} }})(...arguments)");
        self.run(&script, vec![json!(format!("{PRESSED}, {FILLED}")), json!(name), json!("body")]).await == json!(true)
    }

    async fn named(&self, within: &str, among: &str, name: &str) -> Element {
        let found = self.holds(NAMED, &[among, name, within]).await;
        let id = found.as_object().and_then(|found| found.values().next()).and_then(Value::as_str).unwrap();
        Element::from_element_id(self.client.clone(), id.to_owned().into())
    }

    /// Presses what is called so.
    pub async fn press(&self, name: &str) {
        self.press_in("body", name).await;
    }

    /// The same within what this selector finds.
    pub async fn press_in(&self, within: &str, name: &str) {
        let element = self.named(within, PRESSED, name).await;
        element.click().await.unwrap_or_else(|error| panic!("{name}: {error}"));
    }

    /// Presses what this selector finds first: parts of a drawing have no name of their own that is to be seen.
    pub async fn press_at(&self, selector: &str) {
        let found = self.holds("return document.querySelector(a)", &[selector]).await;
        let id = found.as_object().and_then(|found| found.values().next()).and_then(Value::as_str).unwrap();
        let element = Element::from_element_id(self.client.clone(), id.to_owned().into());
        element.click().await.unwrap_or_else(|error| panic!("{selector}: {error}"));
    }

    /// Types into the field of this label, in place of what is there.
    pub async fn fill(&self, label: &str, text: &str) {
        self.fill_in("body", label, text).await;
    }

    /// The same within what this selector finds.
    pub async fn fill_in(&self, within: &str, label: &str, text: &str) {
        let element = self.named(within, FILLED, label).await;
        if element.tag_name().await.unwrap() == "select" {
            element.select_by_label(text).await.unwrap_or_else(|error| panic!("{label}: {text}: {error}"));
            return;
        }
        element.clear().await.unwrap();
        element.send_keys(text).await.unwrap_or_else(|error| panic!("{label}: {error}"));
    }

    /// Types on the keyboard, wherever the page listens.
    pub async fn keys(&self, keys: &str) {
        let mut typed = KeyActions::new("keyboard".to_owned());
        for key in keys.chars() {
            typed = typed.then(KeyAction::Down { value: key }).then(KeyAction::Up { value: key });
        }
        self.client.perform_actions(typed).await.unwrap();
    }

    /// Types on the keyboard until this text is to be seen: a list that just changed does not take a key for its own.
    pub async fn keys_until(&self, keys: &str, text: &str) {
        self.keys_until_holds(keys, &format!("return {TEXT}.includes(a.toLowerCase())"), &[text]).await;
    }

    /// The same until a condition holds.
    pub async fn keys_until_holds(&self, keys: &str, test: &str, args: &[&str]) {
        for _ in 0..TRIES {
            self.keys(keys).await;
            if self.until_in(SOON, test, args).await.is_some() {
                return;
            }
        }
        panic!("{keys} does not lead to `{test}` {args:?}; to be seen is:\n{}", self.text().await);
    }

    /// Whether pages may run scripts from now on.
    pub fn runs_scripts(&self, may: bool) {
        self.tells("Emulation.setScriptExecutionDisabled", &json!({ "value": !may }));
    }

    /// Nothing on this page is wider than the window.
    pub async fn fits(&self, page: &str) {
        let wide = self.too_wide().await;
        assert!(wide.is_empty(), "{page} scrolls sideways:\n{}", wide.join("\n"));
    }

    /// What on this page is wider than the window and makes it scroll sideways.
    pub async fn too_wide(&self) -> Vec<String> {
        let script = "\
            const root = document.scrollingElement, wide = root.clientWidth;
            if (root.scrollWidth <= wide) return [];
            return [`${root.scrollWidth} of ${wide}`, ...[...document.body.querySelectorAll('*')]
              .filter(e => e.getBoundingClientRect().right > wide + 1).slice(0, 8).map(e => e.outerHTML.slice(0, 160))];";
        let found = self.run(script, vec![]).await;
        found.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// What the browser complained about since it was last asked.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.driver.ask("se/log", &json!({"type": "browser"}));
        let entries = log.as_array().cloned().unwrap_or_default();
        let bad = entries.iter().filter(|entry| !matches!(entry["level"].as_str(), Some("INFO" | "DEBUG" | "FINE")));
        bad.map(|entry| format!("{} {}", entry["level"], entry["message"])).collect()
    }

    /// Ends well: the browser complained about nothing but this.
    pub fn end_but_for(self, allowed: &[&str]) {
        let bad = self.complaints().into_iter().filter(|line| !allowed.iter().any(|word| line.contains(word)));
        let bad: Vec<String> = bad.collect();
        assert!(bad.is_empty(), "the browser complains:\n{}", bad.join("\n"));
    }

    /// Ends well: the browser complained about nothing.
    pub fn end(self) {
        self.end_but_for(&[]);
    }
}

fn is_another_page(error: &str) -> bool {
    // The driver calls it a timeout when the page goes away under a script.
    ["unloaded", "detached", "navigat", "aborted", "script timeout", "no such execution context"]
        .iter()
        .any(|word| error.to_lowercase().contains(word))
}
