//! The register: reading the file, and finding who is meant and nobody else.

use super::*;

const SHIPPED: &str = include_str!("../../../../workflows/charter/data/clients.csv");

#[test]
fn people_are_found_as_they_are_written() {
    let clients = read(SHIPPED).unwrap();
    for (name, email, expected) in [
        ("Jane Miller", "", "Jane Miller by name"),
        ("", "JANE.MILLER@example.com", "Jane Miller by email"),
        ("Somebody Else", "jane.miller@example.com", "Jane Miller by email"),
        ("jane miller", "", "Jane Miller by similar_name"),
        ("Miller, Jane", "", "Jane Miller by similar_name"),
        ("Ms. Jane Miler", "", "Jane Miller by similar_name"),
        ("Jnae Miller", "", "Jane Miller by similar_name"),
        ("jose garcia", "", "José García by similar_name"),
        ("Garcia Jose", "", "José García by similar_name"),
        ("Bjorn Ostergaard", "", "Bjørn Østergård by similar_name"),
        ("François Lefèvre", "", "François Lefèvre by name"),
        ("francois lefevre", "", "François Lefèvre by similar_name"),
        ("Jürgen Mueller", "", "Jürgen Müller by similar_name"),
        ("Sean ONeill", "", "Seán O’Neill by similar_name"),
        ("Omar Hadad", "", "Omar Haddad by similar_name"),
        ("Ana Sousa", "", "Ana Sousa by name"),
        ("Anna Souza", "", "Anna Souza by name"),
        ("Ana Souza", "", "nobody: the name could be that of Ana Sousa or Anna Souza: nobody is chosen"),
        ("Li", "", "nobody: nobody in the register has this name or one like it"),
        ("Jane", "", "nobody: nobody in the register has this name or one like it"),
        ("", "nobody@example.com", "nobody: nobody in the register has this address"),
        ("Jane Miller", "jane@elsewhere.example", "Jane Miller by name"),
        (
            "Jane Miler",
            "jane@elsewhere.example",
            "nobody: the name is like Jane Miller, but the address is another: taken as somebody else",
        ),
    ] {
        let given = |text: &'static str| Some(text).filter(|text| !text.is_empty());
        let shown = match find(&clients, given(name), given(email)) {
            Found::Client { client, matched_by } => format!("{} by {matched_by}", client.name),
            Found::Nobody { why } => format!("nobody: {why}"),
        };
        assert_eq!(shown, expected, "{name} {email}");
    }
}

#[test]
fn two_of_the_same_name_are_nobody() {
    let head = COLUMNS.join(",");
    let clients = read(&format!("{head}\nJo Li,a@x.example,,,,,\nJo Li,b@x.example,,,,,\n")).unwrap();
    assert!(matches!(find(&clients, Some("Jo Li"), None), Found::Nobody { .. }));
    assert!(matches!(find(&clients, Some("Jo Li"), Some("b@x.example")), Found::Client { .. }));
}

#[test]
fn a_slip_that_could_come_from_two_names_is_nobody() {
    let head = COLUMNS.join(",");
    let clients = read(&format!("{head}\nMartin Keller,a@x.example,,,,,\nMartina Kellers,b@x.example,,,,,\n")).unwrap();
    for (name, expected) in [("martin keller", true), ("Martinn Keller", false), ("Martn Keller", true)] {
        let found = matches!(find(&clients, Some(name), None), Found::Client { .. });
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn fields_are_read_in_any_order() {
    let text = "vip,email,name,special_requirements,budget_max,budget_min,preferred_aircraft,note\n\
        yes,a@x.example,Ann,\"wheelchair; no nuts\",9000,,PC-24;Phenom 300E,x\n";
    let client = read(text).unwrap().remove(0);
    assert_eq!(client.special_requirements, ["wheelchair", "no nuts"]);
    assert_eq!(client.preferred_aircraft, ["PC-24", "Phenom 300E"]);
    assert_eq!((client.vip, client.budget_min, client.budget_max), (true, None, Some(9_000)));
}

#[test]
fn mistakes_have_a_line_and_a_way_out() {
    let head = COLUMNS.join(",");
    for (text, line, expected) in [
        (String::new(), 1, "the first line names the columns"),
        ("name,email\n".to_owned(), 1, "no column is `preferred_aircraft`"),
        (format!("{head}\nAnn,a@x.example\n"), 2, "2 fields, but 7 columns"),
        (format!("{head}\n,a@x.example,,,,,\n"), 2, "a client has no name"),
        (format!("{head}\nAnn,a,,1.5,,,\n"), 2, "`budget_min` is `1.5`; write whole euros, such as 12000"),
        (format!("{head}\nAnn,a,,9,8,,\n"), 2, "`budget_min` is more than `budget_max`"),
        (
            format!("{head}\nAnn,a,,,,,{}\n", "x".repeat(1_001)),
            2,
            "`special_requirements` is longer than 1000 characters (CHARTER_FIELD_CHARS_MAX)",
        ),
        (format!("{head}\n\nAnn,a,,,,maybe,\n"), 3, "`vip` is `maybe`; write yes or no"),
    ] {
        let (found, why) = read(&text).unwrap_err();
        assert!(found == line && why.starts_with(expected), "{found}: {why}");
    }
}

#[test]
fn a_file_that_is_missing_is_not_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let error = load(&folder.path().join("none.csv")).unwrap_err();
    assert!(!error.retryable && error.why.contains("cannot be read"), "{}", error.why);
    std::fs::write(folder.path().join("bytes.csv"), [0xff, 0xfe]).unwrap();
    assert!(!load(&folder.path().join("bytes.csv")).unwrap_err().retryable);
}
