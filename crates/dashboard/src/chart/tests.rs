//! Charts in words: what is drawn where.

use super::*;

fn chart(shape: Shape, values: Vec<Vec<Option<f64>>>) -> Chart {
    let tones = ["good", "bad"];
    let times = (0..values[0].len()).map(|n| Timestamp(i64::try_from(n).unwrap() * 60_000)).collect();
    let series = values.into_iter().zip(tones);
    Chart {
        part: "chart",
        title: "Throughput",
        value: "3".into(),
        about: "in all".into(),
        shape,
        series: series.map(|(values, tone)| Series { name: tone, tone, values }).collect(),
        times,
        step: "minute".into(),
        words: |value| format!("{value}"),
        top: None,
    }
}

#[test]
fn scales_are_round() {
    for (value, expected) in
        [(0.0, 0.0), (1.0, 1.0), (1.1, 2.0), (3.0, 4.0), (7.0, 8.0), (9.0, 10.0), (0.05, 0.06), (1_234.0, 2_000.0)]
    {
        assert!((round_up(value) - expected).abs() < expected.max(1.0) * 1e-9, "{value} to {}", round_up(value));
    }
    assert!((round_up(f64::INFINITY)).abs() < f64::EPSILON);
}

#[test]
fn bars_stand_upon_each_other() {
    let drawn = chart(Shape::Bars, vec![vec![Some(1.0), None], vec![Some(1.0), Some(2.0)]]).card().into_string();
    for expected in [
        r#"<rect class="good" x="1" width="8" y="50" height="50"></rect>"#,
        r#"<rect class="bad" x="1" width="8" y="0" height="50"></rect>"#,
        r#"<rect class="bad now" x="11" width="8" y="0" height="100"></rect>"#,
        "00:01 UTC 2 bad, so far",
        "Throughput, per minute: 3 in all. good at most 1, at 00:00 UTC; bad at most 2, at 00:01 UTC.",
        r#"<time datetime="1970-01-01T00:00:00.000Z" data-hour>00:00 UTC</time>"#,
    ] {
        assert!(drawn.contains(expected), "{expected} is not in {drawn}");
    }
}

#[test]
fn steps_have_gaps_where_nothing_is_known() {
    let drawn = chart(Shape::Steps, vec![vec![Some(1.0), Some(2.0), None, Some(2.0), None]]).card().into_string();
    assert!(drawn.contains(r#"d="M0 50h10V0h10M30 0h10""#), "{drawn}");
}

#[test]
fn a_line_ends_before_what_is_not_over() {
    let drawn = chart(Shape::Steps, vec![vec![Some(1.0), Some(1.0), Some(0.0)]]).card().into_string();
    assert!(drawn.contains(r#"d="M0 0h10V0h10""#), "{drawn}");
}

#[test]
fn what_is_small_is_seen_beside_what_is_large() {
    let lines = vec![vec![Some(30_000.0), None], vec![Some(700.0), None]];
    let drawn = chart(Shape::Powers, lines);
    assert!(drawn.level(700.0) > HEIGHT / 2.0 && drawn.level(30_000.0) < HEIGHT, "{}", drawn.level(700.0));
    let text = drawn.card().into_string();
    for expected in [
        "log scale",
        // 10, 100, 1,000 and 10,000 of 40,000, each at its height; and a line across the picture there.
        r#"<text x="100%" y="77.4%" dy="0.35em" text-anchor="end">10</text>"#,
        r#"<text x="100%" y="34.8%" dy="0.35em" text-anchor="end">1000</text>"#,
        r#"d="M0 34.8h20""#,
    ] {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
    assert!(!text.contains(">100000<"), "{text}");
}

#[test]
fn words_stand_at_their_height() {
    let scale = |words: fn(f64) -> String, value: f64| {
        let drawn = Chart { words, ..chart(Shape::Bars, vec![vec![Some(value)]]) }.card().into_string();
        let (_, rest) = drawn.split_once("<div class=\"scale\" aria-hidden=\"true\">").unwrap();
        rest.split("</div>").next().unwrap().replace("</span>", " ").replace("<span>", "").trim_end().to_owned()
    };
    assert_eq!(scale(parts::money, 0.041), "0.06 0.03 0");
    assert_eq!(scale(parts::money, 0.009), "0.01 0.0050 0");
    assert_eq!(scale(|value| format!("{value:.0}"), 1.0), "1  0");
    assert_eq!(scale(|value| format!("{value:.0}"), 5.0), "6 3 0");
}

#[test]
fn a_spark_is_a_picture_without_words() {
    let drawn = chart(Shape::Bars, vec![vec![Some(1.0), Some(2.0)]]).spark().into_string();
    assert!(drawn.starts_with("<svg class=\"spark\" viewBox=\"0 0 20 100\""), "{drawn}");
    for (word, there) in
        [("aria-hidden=\"true\"", true), ("rect class=\"good\"", true), ("title", false), ("UTC", false)]
    {
        assert_eq!(drawn.contains(word), there, "{word}: {drawn}");
    }
    assert_eq!(chart(Shape::Bars, vec![vec![None, Some(0.0)]]).spark().into_string(), "");
}

#[test]
fn an_empty_chart_says_so() {
    for (shape, values) in [(Shape::Bars, vec![None, Some(0.0)]), (Shape::Steps, vec![None, None])] {
        let drawn = chart(shape, vec![values]).card().into_string();
        assert!(drawn.contains("Nothing in this time.") && !drawn.contains("<svg"), "{drawn}");
    }
}

#[test]
fn a_line_at_nothing_is_drawn() {
    let drawn = Chart { top: Some(1.0), ..chart(Shape::Steps, vec![vec![None, Some(0.0)]]) }.card().into_string();
    for expected in [r#"d="M10 100h10""#, "00:01 UTC 0 good", "good at most 0, at 00:01 UTC"] {
        assert!(drawn.contains(expected), "{expected} is not in {drawn}");
    }
}
