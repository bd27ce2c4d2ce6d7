//! Text and numbers as a page has them.

use std::fmt;

use gamete_arena::grouped;

/// Text from a file, harmless in HTML, between tags and inside attributes.
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                // Nothing that HTML cannot hold.
                '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' => f.write_str("\u{fffd}")?,
                letter => write!(f, "{letter}")?,
            }
        }
        Ok(())
    }
}

/// A number with so many decimals and its thousands set apart; a dash for what is no number.
pub fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value.abs() >= 1e12 {
        return format!("{value:.1e}").replace('-', "−");
    }
    let digits = format!("{:.decimals$}", value.abs());
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let minus = if value < 0.0 && digits.contains(|digit| ('1'..='9').contains(&digit)) { "−" } else { "" };
    format!("{minus}{}{rest}", grouped(whole))
}

/// A number with about three digits that mean something.
pub fn short(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.9995 || size == 0.0 => 2,
        size if size >= 0.0005 => 3,
        _ => return if value.is_finite() { scientific(value) } else { "–".to_owned() },
    };
    fixed(value, decimals)
}

/// A whole number with its thousands set apart.
pub fn count(number: u64) -> String {
    grouped(&number.to_string())
}

/// A noun for so many: `game`, `games`.
pub fn plural(number: u64, noun: &str) -> String {
    format!("{noun}{}", if number == 1 { "" } else { "s" })
}

/// So many of something: `1 game`, `2,000 games`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {}", count(number), plural(number, noun))
}

/// A share in per cent, a dash of nothing.
pub fn percent(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{} %", fixed(100.0 * part / whole, 0)) } else { "–".to_owned() }
}

/// A number with its power of ten, as in 2e−6.
pub fn scientific(value: f64) -> String {
    format!("{value:.0e}").replace('-', "−")
}

/// Seconds in the largest unit that leaves something to read.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{} s", fixed(s, 1)),
        s if s < 6000.0 => format!("{} min", fixed(s / 60.0, 1)),
        s => format!("{} h", fixed(s / 3600.0, 1)),
    }
}

/// Half points as players write them, as in 4½.
pub fn points(halves: u64) -> String {
    match (halves / 2, halves % 2) {
        (0, 1) => "½".to_owned(),
        (whole, 0) => count(whole),
        (whole, _) => format!("{}½", count(whole)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_from_files_is_text() {
        let text = Escaped("<b a='1' c=\"2\">&amp;\u{1}</b>").to_string();
        assert_eq!(text, "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;\u{fffd}&lt;/b&gt;");
        assert_eq!(Escaped("½ – ok\n").to_string(), "½ – ok\n");
    }

    #[test]
    fn numbers_have_three_digits_that_mean_something() {
        let texts = [1234.5, 99.96, 31.44, 3.456, 0.31, 0.0712, 0.0, -2.5, 0.000_02].map(short);
        assert_eq!(texts, ["1,234", "100", "31.4", "3.46", "0.310", "0.071", "0.00", "−2.50", "2e−5"]);
        assert_eq!(short(f64::NAN), "–");
        assert_eq!(short(f64::INFINITY), "–");
        assert_eq!(fixed(-0.001, 1), "0.0");
        assert_eq!(fixed(1e300, 0), "1.0e300");
        assert_eq!(percent(1.0, 0.0), "–");
        assert_eq!(points(9), "4½");
        assert_eq!(points(1), "½");
        assert_eq!(points(0), "0");
    }
}
