//! Days as people write them: 2026-11-20, Friday, tomorrow, in 10 days, Friday 20 November.

use jiff::{ToSpan as _, civil::Date, civil::Weekday};

/// A day, and what was taken for granted to find it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Day {
    pub date: Date,
    pub assumed: Option<String>,
}

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The one day that a text names.
pub(super) fn day(text: &str, today: Date) -> Result<Day, String> {
    let words: Vec<String> = text.split_whitespace().map(cleaned).filter(|word| !word.is_empty()).collect();
    match day_at(&words, today) {
        Some((used, found)) if used == words.len() => found,
        _ => Err(format!("`{text}` is no day that is understood; write one such as 2026-11-20")),
    }
}

/// A word without the signs around it, in small letters.
pub(super) fn cleaned(word: &str) -> String {
    word.trim_matches(|c: char| ".,;!?()\"".contains(c)).to_lowercase()
}

/// The day that these words begin with, how many of them name it, and what is wrong with it if anything is.
pub(super) fn day_at(words: &[String], today: Date) -> Option<(usize, Result<Day, String>)> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    if let Some(date) = numbers(word(0)) {
        return Some((1, date.map(plain)));
    }
    match (word(0), word(1), word(2)) {
        ("today", ..) => return Some((1, Ok(plain(today)))),
        ("tomorrow", ..) => return Some((1, later(today, 1).map(plain))),
        ("in", count, "days" | "day") => {
            let days = count.parse::<i64>().ok()?;
            return Some((3, later(today, days).map(plain)));
        }
        _ => {}
    }
    let next = usize::from(word(0) == "next");
    let weekday = WEEKDAYS.iter().find(|(name, _)| *name == word(next)).map(|(_, weekday)| *weekday);
    let skipped = if weekday.is_some() { next + 1 } else { 0 };
    match (calendar(&words[skipped..], today), weekday) {
        (Some((used, found)), weekday) => {
            Some((skipped + used, found.and_then(|day| agreeing(day, weekday, &words[skipped..skipped + used]))))
        }
        (None, Some(weekday)) => Some((skipped, coming(today, weekday))),
        (None, None) => None,
    }
}

fn plain(date: Date) -> Day {
    Day { date, assumed: None }
}

fn later(today: Date, days: i64) -> Result<Date, String> {
    let span = jiff::Span::new().try_days(days).map_err(|_| "that is too far away".to_owned())?;
    today.checked_add(span).map_err(|_| "that is too far away".to_owned())
}

/// The next such day after today.
fn coming(today: Date, weekday: Weekday) -> Result<Day, String> {
    let date = today.nth_weekday(1, weekday).map_err(|error| error.to_string())?;
    Ok(Day { date, assumed: Some(format!("{} is taken as {date}", spoken(weekday))) })
}

fn agreeing(day: Day, weekday: Option<Weekday>, words: &[String]) -> Result<Day, String> {
    match weekday {
        Some(weekday) if weekday != day.date.weekday() => {
            let (said, is) = (spoken(weekday), spoken(day.date.weekday()));
            Err(format!("{} ({}) is a {is}, not a {said}", words.join(" "), day.date))
        }
        _ => Ok(day),
    }
}

fn spoken(weekday: Weekday) -> String {
    let name = WEEKDAYS.iter().find(|(_, known)| *known == weekday).map_or("", |(name, _)| name);
    name.chars().take(1).flat_map(char::to_uppercase).chain(name.chars().skip(1)).collect()
}

/// A day in numbers: 2026-11-20 or 20.11.2026. With strokes it could be read in two ways.
fn numbers(word: &str) -> Option<Result<Date, String>> {
    let parts = |sign: char| -> Option<Vec<i16>> {
        let parts: Option<Vec<i16>> = word.split(sign).map(|part| part.parse().ok()).collect();
        parts.filter(|parts| parts.len() == 3)
    };
    let wrong = |_| format!("{word} is no day of the calendar");
    let part = |number: i16| i8::try_from(number).unwrap_or(-1);
    if let Some(parts) = parts('-') {
        return Some(Date::new(parts[0], part(parts[1]), part(parts[2])).map_err(wrong));
    }
    if let Some(parts) = parts('.') {
        return Some(Date::new(parts[2], part(parts[1]), part(parts[0])).map_err(wrong));
    }
    parts('/').map(|_| Err(format!("{word} can be read in two ways; write a day such as 2026-11-20")))
}

/// A day with the name of its month: `20 november`, `20th of november 2026`, `november 20`.
fn calendar(words: &[String], today: Date) -> Option<(usize, Result<Day, String>)> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let (of, the) = (usize::from(word(1) == "of"), usize::from(word(0) == "the"));
    let (number, month, used) = match (ordinal(word(0)), month(word(0))) {
        (Some(number), _) => (number, month(word(1 + of))?, 2 + of),
        (None, Some(month)) => (ordinal(word(1))?, month, 2),
        (None, None) if the == 1 => return calendar(&words[1..], today).map(|(used, day)| (used + 1, day)),
        (None, None) => return None,
    };
    let wrong = || format!("{} is no day of the calendar", words[..used].join(" "));
    if let Some(year) = word(used).parse::<i16>().ok().filter(|year| (2000..=9999).contains(year)) {
        return Some((used + 1, Date::new(year, month, number).map(plain).map_err(|_| wrong())));
    }
    // Without a year it is the next such day; the 29th of February can be up to eight years away.
    let mut years = (0..=8).filter_map(|ahead| Date::new(today.year() + ahead, month, number).ok());
    Some((used, years.find(|date| *date >= today).map(plain).ok_or_else(wrong)))
}

fn month(word: &str) -> Option<i8> {
    let at = MONTHS.iter().position(|month| *month == word || (word.len() == 3 && month.starts_with(word)))?;
    i8::try_from(at + 1).ok()
}

fn ordinal(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(char::is_alphabetic);
    let ending = &word[digits.len()..];
    let number = digits.parse().ok()?;
    (matches!(ending, "" | "st" | "nd" | "rd" | "th") && (1..=31).contains(&number)).then_some(number)
}

/// The last day that can be asked for.
pub(super) fn last(today: Date, days: i64) -> Date {
    today.saturating_add(days.days())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_understood() {
        // A Monday.
        let today = Date::constant(2026, 11, 16);
        for (text, expected) in [
            ("2026-11-20", "2026-11-20"),
            ("20.11.2026", "2026-11-20"),
            ("today", "2026-11-16"),
            ("Tomorrow!", "2026-11-17"),
            ("in 10 days", "2026-11-26"),
            ("Friday", "2026-11-20 (Friday is taken as 2026-11-20)"),
            ("monday", "2026-11-23 (Monday is taken as 2026-11-23)"),
            ("next Friday", "2026-11-20 (Friday is taken as 2026-11-20)"),
            ("Friday 20 November", "2026-11-20"),
            ("Friday, 20th of November 2026", "2026-11-20"),
            ("Friday the 20th of November", "2026-11-20"),
            ("20 Nov", "2026-11-20"),
            ("November 20", "2026-11-20"),
            ("3 March", "2027-03-03"),
            ("29 February", "2028-02-29"),
            ("Saturday 20 November", "wrong: 20 november (2026-11-20) is a Friday, not a Saturday"),
            ("30 February", "wrong: 30 february is no day of the calendar"),
            ("2026-13-01", "wrong: 2026-13-01 is no day of the calendar"),
            ("11/12/2026", "wrong: 11/12/2026 can be read in two ways; write a day such as 2026-11-20"),
            ("soon", "wrong: `soon` is no day that is understood; write one such as 2026-11-20"),
            ("", "wrong: `` is no day that is understood; write one such as 2026-11-20"),
            ("in 99999999999 days", "wrong: that is too far away"),
            (
                "20 November at noon",
                "wrong: `20 November at noon` is no day that is understood; write one such as 2026-11-20",
            ),
        ] {
            let shown = match day(text, today) {
                Ok(Day { date, assumed: None }) => date.to_string(),
                Ok(Day { date, assumed: Some(why) }) => format!("{date} ({why})"),
                Err(why) => format!("wrong: {why}"),
            };
            assert_eq!(shown, expected, "{text}");
        }
    }
}
