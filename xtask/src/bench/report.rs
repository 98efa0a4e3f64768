//! Figures for people and for programs.

use super::Settings;

struct Figure {
    name: String,
    value: f64,
    unit: &'static str,
    /// What it should be, in words of a comparison; empty where a figure only gives the scale.
    aim: &'static str,
    note: String,
}

pub(super) struct Report {
    settings: Settings,
    figures: Vec<Figure>,
}

impl Report {
    pub(super) fn new(settings: Settings) -> Self {
        Self { settings, figures: Vec::new() }
    }

    /// Says what is being measured, where a person looks.
    pub(super) fn doing(&self, what: &str) {
        eprintln!("… {what}");
    }

    pub(super) fn figure(
        &mut self,
        name: impl Into<String>,
        value: f64,
        unit: &'static str,
        aim: &'static str,
        note: String,
    ) {
        self.figures.push(Figure { name: name.into(), value, unit, aim, note });
    }

    pub(super) fn print(&self) {
        if self.settings.json {
            for figure in &self.figures {
                println!("{}", json(figure));
            }
            return;
        }
        println!("{:<42} {:>12} {:<10} {:<8} {:<4} how", "figure", "value", "unit", "aim", "");
        for figure in &self.figures {
            let met = met(figure).map_or("", |met| if met { "ok" } else { "MISS" });
            let value = rounded(figure.value);
            println!("{:<42} {value:>12} {:<10} {:<8} {met:<4} {}", figure.name, figure.unit, figure.aim, figure.note);
        }
    }
}

fn json(figure: &Figure) -> String {
    serde_json::json!({
        "name": figure.name,
        "value": figure.value,
        "unit": figure.unit,
        "aim": figure.aim,
    })
    .to_string()
}

fn rounded(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}

fn met(figure: &Figure) -> Option<bool> {
    let (sign, limit) = figure.aim.split_once(' ')?;
    let limit: f64 = limit.parse().ok()?;
    Some(match sign {
        "<" => figure.value < limit,
        "<=" => figure.value <= limit,
        ">=" => figure.value >= limit,
        _ => return None,
    })
}

/// The value below which this share of the others is.
pub(super) fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index"
    )]
    let index = ((values.len() as f64 - 1.0) * share).round() as usize;
    values.get(index).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_aim_is_met_or_missed() {
        let figure = |value, aim| Figure { name: "x".into(), value, unit: "", aim, note: String::new() };
        assert_eq!(met(&figure(0.7, ">= 0.7")), Some(true));
        assert_eq!(met(&figure(1.0, "< 1")), Some(false));
        assert_eq!(met(&figure(1.0, "")), None);
    }

    #[test]
    fn a_percentile_is_one_of_the_values() {
        let mut values = [3.0, 1.0, 2.0];
        assert!((percentile(&mut values, 0.5) - 2.0).abs() < f64::EPSILON);
        assert!((percentile(&mut values, 0.99) - 3.0).abs() < f64::EPSILON);
    }
}
