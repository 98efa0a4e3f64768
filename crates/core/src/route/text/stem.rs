//! Stems of English words, after the second stemmer of Porter: "billing", "billed" and "bills" are all "bill".
//! Words of other languages and numbers stay as they are.

/// Shorter words have no ending that could be taken off.
const SHORTEST: usize = 3;

/// Forms that no rule finds, and spellings of one word that no rule brings together. In order, to be searched.
const IRREGULAR: &[(&str, &str)] = &[
    ("accessibility", "accessible"),
    ("accessible", "accessible"),
    ("accountant", "accountant"),
    ("accountants", "accountant"),
    ("analyses", "analysi"),
    ("applicant", "applicant"),
    ("applicants", "applicant"),
    ("ate", "eat"),
    ("bitten", "bite"),
    ("bought", "buy"),
    ("broke", "break"),
    ("broken", "break"),
    ("building", "building"),
    ("buildings", "building"),
    ("built", "build"),
    ("catalogue", "catalog"),
    ("caught", "catch"),
    ("centre", "center"),
    ("cheque", "check"),
    ("children", "child"),
    ("chose", "choos"),
    ("chosen", "choos"),
    ("criteria", "criterion"),
    ("customs", "customs"),
    ("diagnoses", "diagnosi"),
    ("dialogue", "dialog"),
    ("drawn", "draw"),
    ("drew", "draw"),
    ("drove", "drive"),
    ("dying", "die"),
    ("eaten", "eat"),
    ("engine", "engine"),
    ("engines", "engine"),
    ("experience", "experience"),
    ("experiment", "experiment"),
    ("experimental", "experiment"),
    ("fallen", "fall"),
    ("feet", "foot"),
    ("fell", "fall"),
    ("flew", "fly"),
    ("flown", "fly"),
    ("forgot", "forget"),
    ("forgotten", "forget"),
    ("freeze", "freez"),
    ("froze", "freez"),
    ("frozen", "freez"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("hidden", "hide"),
    ("hospitality", "hospitality"),
    ("hung", "hang"),
    ("hypotheses", "hypothesi"),
    ("indexes", "index"),
    ("indices", "index"),
    ("internal", "internal"),
    ("international", "international"),
    ("kept", "keep"),
    ("leaves", "leav"),
    ("lent", "lend"),
    ("licence", "licens"),
    ("lost", "lose"),
    ("lying", "lie"),
    ("marketing", "marketing"),
    ("matrices", "matrix"),
    ("meeting", "meeting"),
    ("meetings", "meeting"),
    ("mice", "mous"),
    ("news", "news"),
    ("paid", "pay"),
    ("people", "person"),
    ("police", "police"),
    ("production", "production"),
    ("productions", "production"),
    ("programme", "program"),
    ("ran", "run"),
    ("reporter", "reporter"),
    ("reporters", "reporter"),
    ("sales", "sale"),
    ("sent", "send"),
    ("slept", "sleep"),
    ("sold", "sell"),
    ("spent", "spend"),
    ("stole", "steal"),
    ("stolen", "steal"),
    ("stuck", "stick"),
    ("taught", "teach"),
    ("taxes", "tax"),
    ("teeth", "tooth"),
    ("torn", "tear"),
    ("universal", "universal"),
    ("university", "university"),
    ("vertices", "vertex"),
    ("wives", "wife"),
    ("women", "woman"),
    ("won", "win"),
    ("worn", "wear"),
    ("written", "write"),
    ("wrote", "write"),
];

/// The stem of a word that is in lower case.
pub(super) fn stem(word: &str) -> String {
    if word.len() < SHORTEST || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word.to_owned();
    }
    if let Ok(at) = IRREGULAR.binary_search_by_key(&word, |(form, _)| form) {
        return IRREGULAR[at].1.to_owned();
    }
    let mut word = Word::new(word);
    word.plural();
    word.past();
    word.final_y();
    word.shorten(LONG_ENDINGS, |w| w.first);
    word.shorten(MIDDLE_ENDINGS, |w| w.first);
    word.shorten(LAST_ENDINGS, |w| w.second);
    word.final_e_or_l();
    word.text.make_ascii_lowercase();
    String::from_utf8(word.text).unwrap_or_default()
}

/// A word on its way to its stem. A 'y' that is a consonant is written 'Y'.
struct Word {
    text: Vec<u8>,
    /// Where the region after the first syllable begins, and the one after the second.
    first: usize,
    second: usize,
}

const LONG_ENDINGS: &[(&str, &str)] = &[
    ("ization", "ize"),
    ("isation", "ize"),
    ("ational", "ate"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("iveness", "ive"),
    ("tional", "tion"),
    ("biliti", "ble"),
    ("lessli", "less"),
    ("entli", "ent"),
    ("ation", "ate"),
    ("alism", "al"),
    ("aliti", "al"),
    ("ousli", "ous"),
    ("iviti", "ive"),
    ("fulli", "ful"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("abli", "able"),
    ("izer", "ize"),
    ("iser", "ize"),
    ("ator", "ate"),
    ("alli", "al"),
    ("bli", "ble"),
    ("ogi", "og"),
    ("li", ""),
];

const MIDDLE_ENDINGS: &[(&str, &str)] = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("alize", "al"),
    ("alise", "al"),
    ("icate", "ic"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
];

const LAST_ENDINGS: &[(&str, &str)] = &[
    ("ement", ""),
    ("ance", ""),
    ("ence", ""),
    ("able", ""),
    ("ible", ""),
    ("ment", ""),
    ("ant", ""),
    ("ent", ""),
    ("ism", ""),
    ("ate", ""),
    ("iti", ""),
    ("ous", ""),
    ("ive", ""),
    ("ize", ""),
    ("ise", ""),
    ("sion", "s"),
    ("tion", "t"),
    ("al", ""),
    ("er", ""),
    ("ic", ""),
];

/// Letters before which the ending "li" is no ending of its own.
const BEFORE_LI: &[u8] = b"cdeghkmnrt";

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

/// Where the region after the first vowel and the consonant behind it begins, looking from `start`.
fn region(text: &[u8], start: usize) -> usize {
    let pair = text.get(start..).and_then(|t| t.windows(2).position(|p| is_vowel(p[0]) && !is_vowel(p[1])));
    pair.map_or(text.len(), |at| start + at + 2)
}

impl Word {
    fn new(word: &str) -> Self {
        let mut text = word.as_bytes().to_vec();
        for i in 0..text.len() {
            if text[i] == b'y' && (i == 0 || is_vowel(text[i - 1])) {
                text[i] = b'Y';
            }
        }
        // These beginnings are syllables of their own: a "generator" is not a "general".
        let beginning = ["gener", "commun", "arsen"].iter().find(|b| word.starts_with(**b));
        let first = beginning.map_or_else(|| region(&text, 0), |b| b.len());
        let second = region(&text, first);
        Self { text, first, second }
    }

    fn ends(&self, ending: &str) -> bool {
        self.text.ends_with(ending.as_bytes())
    }

    fn before(&self, ending: usize) -> &[u8] {
        &self.text[..self.text.len() - ending]
    }

    fn replace(&mut self, ending: usize, by: &str) {
        self.text.truncate(self.text.len() - ending);
        self.text.extend_from_slice(by.as_bytes());
    }

    fn plural(&mut self) {
        if self.ends("sses") {
            self.replace(2, "");
        } else if self.ends("ied") || self.ends("ies") {
            self.replace(if self.text.len() > 4 { 2 } else { 1 }, "");
        } else if self.ends("s") && !self.ends("us") && !self.ends("ss") {
            let stem = self.before(1);
            if stem[..stem.len() - 1].iter().copied().any(is_vowel) {
                self.replace(1, "");
            }
        }
    }

    fn past(&mut self) {
        if self.ends("eed") {
            if self.text.len() >= self.first + 3 {
                self.replace(1, "");
            }
            return;
        }
        let ending = ["ingly", "edly", "ing", "ed"].iter().find(|ending| self.ends(ending));
        let Some(ending) = ending.filter(|e| self.before(e.len()).iter().copied().any(is_vowel)) else { return };
        self.replace(ending.len(), "");
        let doubled = matches!(self.text.as_slice(), [_, _, .., a, b] if a == b && b"bdfgmnprt".contains(a));
        if self.ends("at") || self.ends("bl") || self.ends("iz") {
            self.replace(0, "e");
        } else if doubled {
            self.replace(1, "");
        } else if self.first >= self.text.len() && self.is_short_syllable() {
            self.replace(0, "e");
        }
    }

    fn final_y(&mut self) {
        if let [_, .., before, b'y' | b'Y'] = self.text.as_slice()
            && !is_vowel(*before)
        {
            self.replace(1, "i");
        }
    }

    /// Changes the longest of these endings that the word has, when it lies in the region.
    fn shorten(&mut self, endings: &[(&str, &str)], region: fn(&Self) -> usize) {
        let Some((ending, by)) = endings.iter().find(|(ending, _)| self.ends(ending)) else { return };
        // Of "sion" and "tion" the first letter belongs to the stem.
        let taken = if matches!(*ending, "sion" | "tion") { 3 } else { ending.len() };
        let inside = self.text.len() - taken >= region(self);
        let allowed = *ending != "li" || self.before(2).last().is_some_and(|b| BEFORE_LI.contains(b));
        if inside && allowed {
            self.replace(ending.len(), by);
        }
    }

    fn final_e_or_l(&mut self) {
        let end = self.text.len().saturating_sub(1);
        if self.ends("e") {
            let far = end >= self.second;
            self.text.truncate(end);
            if !far && (end < self.first || self.is_short_syllable()) {
                self.text.push(b'e');
            }
        } else if self.ends("ll") && end >= self.second {
            self.text.truncate(end);
        }
    }

    /// Whether the word ends in a vowel between two consonants, like "hop", so that an 'e' belongs to it.
    fn is_short_syllable(&self) -> bool {
        match self.text.as_slice() {
            [first, second] => is_vowel(*first) && !is_vowel(*second),
            [.., a, b, c] => !is_vowel(*a) && is_vowel(*b) && !is_vowel(*c) && !b"wxY".contains(c),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{IRREGULAR, stem};

    /// Words of one line have one stem.
    const SAME: &str = "\
        bill bills billed billing
        refund refunds refunded refunding
        translate translates translation translations translator translating
        optimize optimise optimizer optimization optimisation optimizing
        deploy deploys deployed deployment deployments deploying
        invoice invoices invoiced invoicing
        company companies
        security secure secured
        agree agreed agrees
        run runs running ran
        index indexes indices
        diagnose diagnosed diagnosing
        hopeful hopefully hopefulness
        write writes writing wrote written
        add adds added adding
        recruit recruiter recruiting recruitment
        classify classified classifies
        process processes processing processed";

    /// The words of one line have different stems.
    const DIFFERENT: &str = "\
        ad add
        general generator
        applicant application
        access accessible
        hospital hospitality
        report reporter
        universe university
        news new
        bus bush
        sing s
        bed be";

    #[test]
    fn forms_of_one_word_have_one_stem() {
        for line in SAME.lines() {
            let stems: Vec<String> = line.split_whitespace().map(stem).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{line}: {stems:?}");
        }
    }

    #[test]
    fn other_words_have_other_stems() {
        for line in DIFFERENT.lines() {
            let stems: Vec<String> = line.split_whitespace().map(stem).collect();
            assert!(stems.windows(2).all(|pair| pair[0] != pair[1]), "{line}: {stems:?}");
        }
    }

    #[test]
    fn irregular_forms_are_in_order() {
        assert!(IRREGULAR.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn every_text_has_a_stem() {
        for word in
            ["", "s", "ss", "ies", "ied", "ing", "ed", "eed", "y", "yy", "ll", "e", "li", "übung", "a1", "ations"]
        {
            let stem = stem(word);
            assert!(stem.len() <= word.len(), "{word}: {stem}");
        }
    }
}
