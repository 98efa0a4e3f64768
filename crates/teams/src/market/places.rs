//! The airports that the charter market knows, and how far they are from each other.

use crate::words::folded;
use handover_core::nearest::nearest;

/// A city and the airport that charter flights use there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// The code of the airport, such as LBG.
    pub code: &'static str,
    /// The city.
    pub city: &'static str,
    /// Other names of the city, without accents and in small letters.
    names: &'static [&'static str],
    latitude: f64,
    longitude: f64,
}

const fn place(
    code: &'static str,
    city: &'static str,
    names: &'static [&'static str],
    latitude: f64,
    longitude: f64,
) -> Place {
    Place { code, city, names, latitude, longitude }
}

/// All of them.
pub const PLACES: [Place; 42] = [
    place("AMS", "Amsterdam", &["schiphol"], 52.309, 4.764),
    place("ATH", "Athens", &["athen", "athina"], 37.936, 23.944),
    place("BCN", "Barcelona", &[], 41.297, 2.083),
    place("BER", "Berlin", &[], 52.367, 13.503),
    place("BRU", "Brussels", &["bruxelles", "brussel"], 50.901, 4.484),
    place("BUD", "Budapest", &[], 47.437, 19.256),
    place("CMF", "Chambéry", &[], 45.638, 5.880),
    place("CPH", "Copenhagen", &["kobenhavn"], 55.618, 12.656),
    place("DWC", "Dubai", &[], 24.896, 55.161),
    place("DUB", "Dublin", &[], 53.421, -6.270),
    place("EDI", "Edinburgh", &[], 55.950, -3.373),
    place("FAO", "Faro", &[], 37.014, -7.966),
    place("FRA", "Frankfurt", &["frankfurt am main"], 50.033, 8.571),
    place("GVA", "Geneva", &["geneve", "genf"], 46.238, 6.109),
    place("HAM", "Hamburg", &[], 53.630, 9.988),
    place("HEL", "Helsinki", &[], 60.317, 24.963),
    place("IBZ", "Ibiza", &["eivissa"], 38.873, 1.373),
    place("INN", "Innsbruck", &[], 47.260, 11.344),
    place("IST", "Istanbul", &[], 41.262, 28.742),
    place("LIS", "Lisbon", &["lisboa"], 38.774, -9.134),
    place("FAB", "London", &["farnborough"], 51.276, -0.776),
    place("LUX", "Luxembourg", &["luxemburg"], 49.627, 6.211),
    place("MAD", "Madrid", &[], 40.472, -3.561),
    place("AGP", "Málaga", &[], 36.675, -4.499),
    place("MLA", "Malta", &[], 35.857, 14.477),
    place("LIN", "Milan", &["milano"], 45.445, 9.277),
    place("MUC", "Munich", &["munchen", "muenchen"], 48.354, 11.786),
    place("JMK", "Mykonos", &[], 37.435, 25.348),
    place("TEB", "New York", &["teterboro"], 40.850, -74.061),
    place("NCE", "Nice", &["nizza"], 43.658, 7.216),
    place("OLB", "Olbia", &[], 40.899, 9.518),
    place("OSL", "Oslo", &[], 60.194, 11.100),
    place("PMI", "Palma", &["palma de mallorca", "mallorca"], 39.552, 2.739),
    place("LBG", "Paris", &["le bourget"], 48.969, 2.441),
    place("PRG", "Prague", &["praha", "prag"], 50.101, 14.260),
    place("CIA", "Rome", &["roma", "rom"], 41.799, 12.595),
    place("SZG", "Salzburg", &[], 47.793, 13.004),
    place("ARN", "Stockholm", &[], 59.652, 17.919),
    place("VCE", "Venice", &["venezia", "venedig"], 45.505, 12.352),
    place("VIE", "Vienna", &["wien"], 48.110, 16.570),
    place("WAW", "Warsaw", &["warszawa"], 52.166, 20.967),
    place("ZRH", "Zurich", &[], 47.458, 8.548),
];

/// The place of this name: a city in any usual spelling, or the code of its airport.
#[must_use]
pub fn find(name: &str) -> Option<&'static Place> {
    let wanted = folded(name);
    PLACES.iter().find(|place| {
        folded(place.city) == wanted || place.names.contains(&wanted.as_str()) || folded(place.code) == wanted
    })
}

/// The place whose name is most like this one.
#[must_use]
pub fn most_like(name: &str) -> Option<&'static Place> {
    nearest(name.trim(), PLACES.iter().map(|place| (place.city, place)))
}

/// The distance along the great circle, in kilometres.
#[must_use]
pub fn distance_km(from: &Place, to: &Place) -> f64 {
    const EARTH_KM: f64 = 6_371.0;
    let (a, b) = (from.latitude.to_radians(), to.latitude.to_radians());
    let (dy, dx) = ((b - a) / 2.0, (to.longitude - from.longitude).to_radians() / 2.0);
    let part = dy.sin().powi(2) + a.cos() * b.cos() * dx.sin().powi(2);
    2.0 * EARTH_KM * part.sqrt().min(1.0).asin()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_by_any_usual_name() {
        for (name, code) in [
            ("Paris", Some("LBG")),
            ("  zürich ", Some("ZRH")),
            ("GENÈVE", Some("GVA")),
            ("Malaga", Some("AGP")),
            ("new york", Some("TEB")),
            ("vie", Some("VIE")),
            ("Palma de Mallorca", Some("PMI")),
            ("Pariss", None),
            ("", None),
        ] {
            assert_eq!(find(name).map(|place| place.code), code, "{name}");
        }
        assert_eq!(most_like("Pariss").map(|place| place.city), Some("Paris"));
    }

    #[test]
    fn distances_are_those_of_the_globe() {
        for (from, to, km) in [("Paris", "Nice", 697), ("London", "New York", 5_548), ("Zurich", "Zurich", 0)] {
            let (from, to) = (find(from).unwrap(), find(to).unwrap());
            let found = distance_km(from, to);
            assert!((found - f64::from(km)).abs() < 20.0, "{} to {}: {found}", from.city, to.city);
        }
    }

    #[test]
    fn no_two_places_share_a_name() {
        let mut names: Vec<String> = PLACES.iter().flat_map(|p| [folded(p.code), folded(p.city)]).collect();
        names.extend(PLACES.iter().flat_map(|place| place.names.iter().map(|name| (*name).to_owned())));
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
