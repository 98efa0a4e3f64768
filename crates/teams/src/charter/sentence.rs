//! A charter request in a plain sentence. What is understood is taken, what is left over becomes a note, and what could
//! mean two things is a mistake: nothing is guessed in silence.

use super::days::{cleaned, day_at};
use crate::{mail::is_address, market::places};
use jiff::civil::Date;

/// What a sentence says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Heard {
    pub client_name: Option<String>,
    pub client_email: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub date: Option<Date>,
    pub passengers: Option<u64>,
    pub urgency: Option<&'static str>,
    pub notes: Option<String>,
    pub assumptions: Vec<String>,
    pub mistakes: Vec<String>,
    /// Whether it says that it is to be as soon as possible.
    soon: bool,
}

const NUMBERS: [&str; 19] = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const PEOPLE: [&str; 12] = [
    "people",
    "person",
    "persons",
    "passenger",
    "passengers",
    "guests",
    "guest",
    "pax",
    "adults",
    "adult",
    "travellers",
    "travelers",
];
/// Small words within names of people.
const PARTICLES: [&str; 10] = ["de", "da", "dos", "van", "von", "der", "den", "la", "le", "al"];
/// Words that say nothing by themselves.
const FILLERS: [&str; 31] = [
    "a", "an", "the", "we", "i", "are", "am", "is", "need", "want", "would", "like", "to", "for", "on", "and", "of",
    "us", "please", "fly", "flight", "flying", "jet", "charter", "from", "hello", "hi", "at", "by", "with", "next",
];
/// Most words of a place or of a client's name.
const NAME_WORDS_MAX: usize = 5;

/// Reads a sentence.
pub(super) fn heard(text: &str, today: Date) -> Heard {
    let mut heard = Heard::default();
    let rest = match text.split_once(':') {
        Some((name, rest)) if is_name(name) => {
            heard.client_name = Some(name.trim().to_owned());
            rest
        }
        _ => text,
    };
    let spoken: Vec<&str> = rest.split_whitespace().collect();
    let words: Vec<String> = spoken.iter().map(|word| cleaned(word)).collect();
    let (mut at, mut left) = (0, vec![Vec::new()]);
    while at < words.len() {
        let used = heard.take(&spoken[at..], &words[at..], today);
        match used {
            0 => left.last_mut().into_iter().for_each(|part: &mut Vec<usize>| part.push(at)),
            _ => left.push(Vec::new()),
        }
        at += used.max(1);
    }
    if heard.soon && heard.date.is_none() {
        heard.date = Some(today);
        heard.assumptions.push(format!("as soon as possible is taken as today, {today}"));
    }
    heard.notes = notes(&left, &spoken, &words);
    heard
}

impl Heard {
    /// Takes what these words begin with; gives how many of them were understood.
    fn take(&mut self, spoken: &[&str], words: &[String], today: Date) -> usize {
        if let Some(used) = self.take_people(words).or_else(|| self.take_urgency(words)) {
            return used;
        }
        if let Some((used, found)) = day_at(words, today) {
            match found {
                Ok(day) => {
                    self.assumptions.extend(day.assumed);
                    once("days", &mut self.date, day.date, &mut self.mistakes);
                }
                Err(why) => self.mistakes.push(format!("date: {why}")),
            }
            return used;
        }
        let address = spoken[0].trim_matches(|c: char| ".,;!?()<>\"".contains(c));
        if is_address(address) {
            once("addresses", &mut self.client_email, address.to_owned(), &mut self.mistakes);
            return 1;
        }
        let place = match words[0].as_str() {
            "from" => place_at(&spoken[1..]).map(|found| (found, &mut self.from, "places of departure")),
            "to" => place_at(&spoken[1..]).map(|found| (found, &mut self.to, "destinations")),
            _ => None,
        };
        let Some(((used, name), field, what)) = place else { return 0 };
        once(what, field, name, &mut self.mistakes);
        used + 1
    }

    fn take_people(&mut self, words: &[String]) -> Option<usize> {
        let word = |at: usize| words.get(at).map_or("", String::as_str);
        let (at, used) = match (word(0), word(1), word(2)) {
            ("party", "of", _) => (2, 3),
            (_, noun, _) if PEOPLE.contains(&noun) => (0, 2),
            (_, "of", "us") => (0, 3),
            _ => return None,
        };
        let said = word(at);
        let named = NUMBERS.iter().position(|name| *name == said).and_then(|at| u64::try_from(at + 1).ok());
        let count = named.or_else(|| said.parse().ok())?;
        once("numbers of people", &mut self.passengers, count, &mut self.mistakes);
        Some(used)
    }

    fn take_urgency(&mut self, words: &[String]) -> Option<usize> {
        let begins = |phrase: &[&str]| words.len() >= phrase.len() && words.iter().zip(phrase).all(|(a, b)| a == b);
        let soon = [&["as", "soon", "as", "possible"][..], &["asap"], &["immediately"]];
        if let Some(phrase) = soon.into_iter().find(|phrase| begins(phrase)) {
            (self.urgency, self.soon) = (Some("urgent"), true);
            return Some(phrase.len());
        }
        matches!(words[0].as_str(), "urgent" | "urgently").then(|| {
            self.urgency = Some("urgent");
            1
        })
    }
}

/// Keeps what is said first; something else said later is a mistake.
fn once<T: PartialEq + ToString>(what: &str, field: &mut Option<T>, value: T, mistakes: &mut Vec<String>) {
    match field {
        None => *field = Some(value),
        Some(known) if *known == value => {}
        Some(known) => {
            let (known, value) = (known.to_string(), value.to_string());
            mistakes.push(format!("two {what} are named, {known} and {value}; ask for each flight by itself"));
        }
    }
}

/// The place that these words begin with: the longest name that is known, else the words with capital letters.
fn place_at(spoken: &[&str]) -> Option<(usize, String)> {
    let name = |count: usize| {
        let joined = spoken[..count].join(" ");
        joined.trim_matches(|c: char| ".,;!?()\"".contains(c)).to_owned()
    };
    let most = spoken.len().min(NAME_WORDS_MAX);
    if let Some(count) = (1..=most).rev().find(|count| places::find(&name(*count)).is_some()) {
        return Some((count, name(count)));
    }
    let capital = |word: &&&str| word.starts_with(char::is_uppercase);
    let count = spoken[..most].iter().take_while(capital).count();
    (count > 0).then(|| (count, name(count)))
}

fn is_name(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let part = |word: &&str| word.starts_with(char::is_uppercase) || PARTICLES.contains(word);
    let clean = !text.contains(|c: char| c.is_ascii_digit() || "@!?;".contains(c));
    (1..=NAME_WORDS_MAX).contains(&words.len()) && words.iter().all(part) && clean
}

/// What was not understood, in the words of whoever asks.
fn notes(left: &[Vec<usize>], spoken: &[&str], words: &[String]) -> Option<String> {
    let says = |part: &&Vec<usize>| {
        part.iter().any(|at| words[*at].chars().any(char::is_alphanumeric) && !FILLERS.contains(&words[*at].as_str()))
    };
    let part = |part: &Vec<usize>| {
        let said: Vec<&str> = part.iter().map(|at| spoken[*at]).collect();
        said.join(" ").trim_matches(|c: char| " ,;.".contains(c)).to_owned()
    };
    let parts: Vec<String> = left.iter().filter(says).map(part).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let heard = heard(text, Date::constant(2026, 11, 16));
        let field = |name: &str, value: Option<String>| value.map(|value| format!("{name}={value}"));
        let parts = [
            field("name", heard.client_name),
            field("email", heard.client_email),
            field("from", heard.from),
            field("to", heard.to),
            field("on", heard.date.map(|date| date.to_string())),
            field("people", heard.passengers.map(|count| count.to_string())),
            field("urgency", heard.urgency.map(str::to_owned)),
            field("notes", heard.notes),
        ];
        let assumed = heard.assumptions.into_iter().map(|why| format!("assumed: {why}"));
        let wrong = heard.mistakes.into_iter().map(|why| format!("wrong: {why}"));
        parts.into_iter().flatten().chain(assumed).chain(wrong).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn sentences_are_understood() {
        for (text, expected) in [
            (
                "Jane Miller: four people from Paris to Nice on Friday 20 November",
                "name=Jane Miller | from=Paris | to=Nice | on=2026-11-20 | people=four",
            ),
            (
                "Six people from Zurich to Ibiza, as soon as possible",
                "from=Zurich | to=Ibiza | on=2026-11-16 | people=6 | urgency=urgent | \
                assumed: as soon as possible is taken as today, 2026-11-16",
            ),
            (
                "Omar Haddad: two people from London to Geneva, at night",
                "name=Omar Haddad | from=London | to=Geneva | people=2 | notes=at night",
            ),
            (
                "Hello, we need a jet for a party of 7 from New York to London tomorrow. With a dog, please. (ann@example.com)",
                "email=ann@example.com | from=New York | to=London | on=2026-11-17 | people=7 | notes=With a dog, please",
            ),
            (
                "There are 3 of us, we want to fly to Palma de Mallorca from Zürich on 2026-12-24",
                "from=Zürich | to=Palma de Mallorca | on=2026-12-24 | people=3 | notes=There are",
            ),
            (
                "Ana van der Berg: 2 adults from Pariss to Nice on Friday",
                "name=Ana van der Berg | from=Pariss | to=Nice | on=2026-11-20 | people=2 | \
                assumed: Friday is taken as 2026-11-20",
            ),
            (
                "two people from Paris to Nice on Friday and from Nice to Paris on Sunday",
                "from=Paris | to=Nice | on=2026-11-20 | people=2 | assumed: Friday is taken as 2026-11-20 | \
                assumed: Sunday is taken as 2026-11-22 | \
                wrong: two places of departure are named, Paris and Nice; ask for each flight by itself | \
                wrong: two destinations are named, Nice and Paris; ask for each flight by itself | \
                wrong: two days are named, 2026-11-20 and 2026-11-22; ask for each flight by itself",
            ),
            ("asap, on Friday", "on=2026-11-20 | urgency=urgent | assumed: Friday is taken as 2026-11-20"),
            ("We leave at 10:30 from Rome", "from=Rome | notes=We leave at 10:30"),
            ("from", ""),
            ("", ""),
            ("to be honest: no idea", "notes=to be honest: no idea"),
        ] {
            assert_eq!(shown(text), expected.replace("people=four", "people=4"), "{text}");
        }
    }
}
