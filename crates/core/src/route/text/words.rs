//! From text to words: where they begin and end, how identifiers come apart, and which words say little.

use super::{stem::stem, thesaurus::Thesaurus};
use crate::limits;

/// Words that say nothing about a task.
const STOP: &str = "a about above after again against all also am an and any anybody anyone anything are aren as asap at \
    back be because been before being below between both but by came can cannot cant com come could couldn did didn do \
    does doesn doing don done during each either else etc even ever every everybody everyone everything few for \
    from further get gets getting give given go goes going gone got had hadn has hasn have haven having he hello help \
    her here hers hey hi him his how however i if im in into is isn it its itself ive just keep keeps kept know let \
    lets like ll lot made make makes making many may maybe me mean might mine more most much must my myself need needed \
    needs never no nobody nor not nothing now of off on once one ones only onto or other our ours out over own people please \
    put really right said same say says see seem seems she should shouldn since so some somebody someone something soon \
    still such sure take takes tell than thank thanks that the their them then there these they thing things this those \
    though through till to today too took try trying under until up upon us use used using ve very via want wanted \
    wants was wasn way we well went were weren what whatever when where whether which while who whole whom whose why \
    will with within without won would wouldn www yes yet you your yours yourself agent agents assistant bot specialist \
    expert http https able across along already always another around ask asks away bit quite rather exactly actually \
    der die das und ist ein eine mit le la les des est une et el los las una por para con que";

/// Words that say a little: nearly every task has one of them.
const WEAK: &str = "\
    add best better big build call change check clear complete create current day detail different easy explain \
    figure file find first fix full good great handle hour issue kind large last later latest list little long look \
    manage minute month name new next nice number old open part place plan point possible prepare problem process \
    provide quick ready recent request review run send set show simple small start step stop system task team time \
    tool turn two three four five six seven eight nine ten hundred thousand type update version week work worker \
    write year yesterday tomorrow tonight morning user customer company person monday tuesday wednesday thursday \
    friday saturday sunday january february march april june july august september october november december spring \
    summer autumn winter weekend evening afternoon night noon accept act agree allow appear arrange assume attach \
    avoid base become begin believe belong bring care carry cause choose collect combine compare concern confirm \
    consider contain continue cover cut deal decide define depend describe determine develop discuss double drop \
    early end enter exist expect extend fall feel fill follow force form gather happen hear hold hope identify \
    imagine improve include increase indicate involve join lead leave live lose love mark match matter meet mention \
    miss move notice obtain occur offer pass perform pick prefer present produce propose prove pull push raise reach \
    read realize receive recommend reduce refer relate remain remember remove replace require respond rest result \
    save seek select serve share sit sound speak spend stand state stay suggest suppose switch talk touch treat \
    understand visit wait walk watch wish wonder worry amount area aspect case chance choice city condition content \
    control country couple date decision department difference direction document effect effort example experience \
    face fact feature field focus friend group half hand head home house idea information item key level life line \
    link local location man message mind moment note office option page pair partner past period piece power product \
    program project purpose question range rate reason record region resource round section sense series service \
    side sign situation size sort source space stage standard story stuff subject support term text title top topic \
    total unit value view word world available bad certain close common correct entire existing extra final free \
    general happy hard high huge important internal late low main major minor normal only particular previous \
    private proper public real regular separate serious several short similar single special specific strange strong \
    sudden true usual various white whole wrong young";

/// How a word hangs together with the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bond {
    /// A comma, a full stop, or nothing at all.
    None,
    /// Only white space is between them.
    Space,
    /// They are parts of one identifier or of a word with a hyphen.
    Tight,
}

/// What a term is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Make {
    /// One word.
    Word,
    /// One of the words that nearly every task has.
    Weak,
    /// Two words that are written as one elsewhere, and may mean nothing together.
    Pair,
    /// Two parts of one identifier.
    TightPair,
}

/// A term of a text, and the place where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) stem: String,
    pub(super) make: Make,
    /// Where it begins and ends in the text, in bytes.
    pub(super) place: (usize, usize),
}

struct Piece {
    word: String,
    place: (usize, usize),
    bond: Bond,
}

/// The terms of a text, in their order, at most `most` of them.
pub(super) fn terms(text: &str, most: usize) -> Vec<Term> {
    let thesaurus = Thesaurus::built_in();
    let pieces = pieces(text, most, thesaurus);
    let stems: Vec<String> = pieces.iter().map(|piece| stem(&piece.word)).collect();
    let mut terms: Vec<Term> = Vec::with_capacity(pieces.len() * 3);
    for (i, (piece, own)) in pieces.iter().zip(&stems).enumerate() {
        if i > 0 && piece.bond != Bond::None {
            let before = &pieces[i - 1];
            let make = if piece.bond == Bond::Tight { Make::TightPair } else { Make::Pair };
            let place = (before.place.0, piece.place.1);
            terms.extend(joined(&before.word, &stems[i - 1], &piece.word).map(|stem| Term { stem, make, place }));
        }
        if says_something(&piece.word, thesaurus) {
            let make = if is_number(own) || thesaurus.is_weak(own) { Make::Weak } else { Make::Word };
            terms.push(Term { stem: own.clone(), make, place: piece.place });
        }
    }
    terms.truncate(most);
    terms
}

/// Two words as one, and once more with the stem of the first: who "signed up" did a "signup".
fn joined(first: &str, first_stem: &str, second: &str) -> impl Iterator<Item = String> {
    let shorter = (first_stem != first).then(|| stem(&format!("{first_stem}{second}")));
    [stem(&format!("{first}{second}"))].into_iter().chain(shorter)
}

fn says_something(word: &str, thesaurus: &Thesaurus) -> bool {
    let letters = word.chars().nth(1).is_some() || !word.is_ascii();
    letters && word.len() <= limits::ROUTE_WORD_BYTES_MAX && !thesaurus.is_stop(word)
}

/// A number by itself hardly ever says whose work a task is.
fn is_number(word: &str) -> bool {
    word.chars().all(char::is_numeric)
}

/// The lists of words that say nothing, and of those that say little.
pub(super) fn quiet_words() -> (impl Iterator<Item = &'static str>, impl Iterator<Item = &'static str>) {
    (STOP.split_whitespace(), WEAK.split_whitespace())
}

fn pieces(text: &str, most: usize, thesaurus: &Thesaurus) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut end, mut start) = (0, None);
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let inside = is_inside(c);
        match start {
            None if inside => start = Some(at),
            Some(first) if !inside => {
                let bond = bond(&text[end..first], end > 0);
                run(text, (first, at), bond, thesaurus, &mut pieces);
                (start, end) = (None, at);
            }
            _ => {}
        }
        if pieces.len() >= most {
            break;
        }
    }
    pieces
}

/// Letters, digits, and accents that stand alone: these belong to the letter before them.
fn is_inside(c: char) -> bool {
    c.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&c)
}

fn bond(between: &str, has_before: bool) -> Bond {
    match between {
        "-" | "_" if has_before => Bond::Tight,
        _ if has_before && !between.is_empty() && between.chars().all(char::is_whitespace) => Bond::Space,
        _ => Bond::None,
    }
}

/// Takes one run of letters apart: at capital letters, or into neighbours where a script has no spaces.
fn run(text: &str, (start, end): (usize, usize), bond: Bond, thesaurus: &Thesaurus, pieces: &mut Vec<Piece>) {
    let run = &text[start..end];
    if run.len() == 1 && run.is_ascii() {
        let word = language_name(run, &text[end..]);
        return pieces.push(Piece { word, place: (start, end), bond });
    }
    if run.chars().any(is_unspaced) {
        return neighbours(run, start, pieces);
    }
    let whole = folded(run);
    let cuts = capitals(run);
    if cuts.is_empty() || thesaurus.knows(&stem(&whole)) {
        return pieces.push(Piece { word: whole, place: (start, end), bond });
    }
    let ends = cuts.iter().copied().chain([run.len()]);
    let mut from = 0;
    for to in ends {
        let bond = if from == 0 { bond } else { Bond::Tight };
        pieces.push(Piece { word: folded(&run[from..to]), place: (start + from, start + to), bond });
        from = to;
    }
}

/// "C++" and "C#" are words of one letter but for their marks.
fn language_name(letter: &str, rest: &str) -> String {
    let letter = letter.to_ascii_lowercase();
    if rest.starts_with("++") {
        format!("{letter}plusplus")
    } else if rest.starts_with('#') {
        format!("{letter}sharp")
    } else {
        letter
    }
}

/// Scripts that put no spaces between words: every two neighbours are a word.
fn neighbours(run: &str, start: usize, pieces: &mut Vec<Piece>) {
    let places: Vec<(usize, char)> = run.char_indices().collect();
    for pair in places.windows(2.min(places.len())) {
        let (first, last) = (pair[0], pair[pair.len() - 1]);
        let place = (start + first.0, start + last.0 + last.1.len_utf8());
        let word = pair.iter().map(|(_, c)| c).collect();
        pieces.push(Piece { word, place, bond: Bond::None });
    }
}

fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3134f}')
}

/// Where "refundRequest" and "HTTPServer" come apart, in bytes.
fn capitals(run: &str) -> Vec<usize> {
    if !run.chars().skip(1).any(char::is_uppercase) {
        return Vec::new();
    }
    let letters: Vec<(usize, char)> = run.char_indices().collect();
    let mut cuts = Vec::new();
    for i in 1..letters.len() {
        let (before, (at, here)) = (letters[i - 1].1, letters[i]);
        let next_is_small = letters.get(i + 1).is_some_and(|(_, c)| c.is_lowercase());
        if here.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && next_is_small)) {
            cuts.push(at);
        }
    }
    cuts
}

/// Lower case, without the accents of Latin letters, so that "résumé" is "resume".
fn folded(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let small = word.chars().flat_map(char::to_lowercase).filter(|c| !('\u{300}'..='\u{36f}').contains(c));
    small.map(plain).collect()
}

fn plain(letter: char) -> char {
    match letter {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ę' | 'ě' => 'e',
        'ì'..='ï' | 'ī' | 'ı' => 'i',
        'ł' => 'l',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' => 'o',
        'ř' => 'r',
        'ś' | 'š' | 'ş' => 's',
        'ť' | 'ţ' => 't',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_apart_into_words() {
        // text | words | pairs
        let table = [
            (
                "Please refund the customer's card",
                "refund custom card",
                "pleaserefund pleasrefund refundth thecustom scard",
            ),
            ("refundRequest", "refund request", "refundrequest"),
            ("code_review", "code review", "codereview"),
            ("HTTPServer v2", "server v2", "httpserver serverv2"),
            ("front-end, back-end", "front end end", "frontend backend"),
            ("JavaScript", "javascript", ""),
            ("C++ and C# code", "cplusplus csharp code", "andcsharp"),
            ("résumé Übung Straße", "resum ubung straße", "resumeubung resumubung ubungstraße"),
            ("re\u{301}sume\u{301}", "resum", ""),
            ("发票退款", "发票 票退 退款", ""),
            ("票", "票", ""),
            ("a b c 1", "", "ab bc c1"),
            ("", "", ""),
            ("\u{0}\u{feff}… — ''", "", ""),
        ];
        for (text, words, pairs) in table {
            let terms = terms(text, usize::MAX);
            let join = |pair: bool| {
                let wanted = terms.iter().filter(|t| matches!(t.make, Make::Pair | Make::TightPair) == pair);
                wanted.map(|t| t.stem.as_str()).collect::<Vec<_>>().join(" ")
            };
            assert_eq!(join(false), words, "the words of {text:?}");
            assert_eq!(join(true), pairs, "the pairs of {text:?}");
        }
    }

    #[test]
    fn a_term_knows_its_place() {
        let text = "Ärger mit der Rückzahlung, refundRequest";
        let places: Vec<&str> = terms(text, 100).iter().map(|t| &text[t.place.0..t.place.1]).collect();
        assert_eq!(
            places,
            ["Ärger", "Ärger mit", "mit der", "der Rückzahlung", "Rückzahlung", "refund", "refundRequest", "Request"]
        );
    }
}
