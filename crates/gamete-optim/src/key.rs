use std::collections::BTreeMap;
use std::fmt;

/// A setting by its name: what it may be, what it is unless somebody says otherwise, and what it means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    /// Its name in files.
    pub name: &'static str,
    /// What it means, in a line.
    pub about: &'static str,
    /// What it may be.
    pub kind: KeyKind,
}

/// What a key may be, and its default.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeyKind {
    /// A whole number of a range.
    Integer {
        /// Smallest and largest.
        range: [i64; 2],
        /// The default.
        default: i64,
    },
    /// A number of a range.
    Real {
        /// Smallest and largest.
        range: [f64; 2],
        /// The default.
        default: f64,
    },
    /// True or false, and the default.
    Flag(bool),
    /// Two whole numbers of a range, the smaller first.
    Integers {
        /// Smallest and largest.
        range: [i64; 2],
        /// The default.
        default: [i64; 2],
    },
    /// One of some words, the first by default.
    Choice(&'static [&'static str]),
    /// A text, and the default.
    Text(&'static str),
    /// A list of texts, empty by default.
    Texts,
}

/// A value of a key.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number, whole or not.
    Number(f64),
    /// Two numbers.
    Numbers([f64; 2]),
    /// True or false.
    Flag(bool),
    /// A text.
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Numbers([one, two]) => write!(f, "[{one}, {two}]"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Texts(texts) => write!(f, "{texts:?}"),
        }
    }
}

/// A value that a key cannot have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {reason}")]
pub struct KeyError {
    /// The key.
    pub key: String,
    /// The value, and what to give instead.
    pub reason: String,
}

impl KeyError {
    /// What is wrong with a key.
    pub fn new(key: &str, reason: impl Into<String>) -> Self {
        Self { key: key.to_owned(), reason: reason.into() }
    }
}

impl Key {
    /// A whole number.
    pub const fn integer(name: &'static str, range: [i64; 2], default: i64, about: &'static str) -> Self {
        Self { name, about, kind: KeyKind::Integer { range, default } }
    }

    /// A number.
    pub const fn real(name: &'static str, range: [f64; 2], default: f64, about: &'static str) -> Self {
        Self { name, about, kind: KeyKind::Real { range, default } }
    }

    /// One of some words, the first by default.
    pub const fn choice(name: &'static str, words: &'static [&'static str], about: &'static str) -> Self {
        Self { name, about, kind: KeyKind::Choice(words) }
    }

    /// True or false.
    pub const fn flag(name: &'static str, default: bool, about: &'static str) -> Self {
        Self { name, about, kind: KeyKind::Flag(default) }
    }

    /// Two whole numbers, the smaller first.
    pub const fn integers(
        name: &'static str,
        range: [i64; 2],
        default: [i64; 2],
        about: &'static str,
    ) -> Self {
        Self { name, about, kind: KeyKind::Integers { range, default } }
    }

    /// A text.
    pub const fn text(name: &'static str, default: &'static str, about: &'static str) -> Self {
        Self { name, about, kind: KeyKind::Text(default) }
    }

    /// A list of texts, empty by default.
    pub const fn texts(name: &'static str, about: &'static str) -> Self {
        Self { name, about, kind: KeyKind::Texts }
    }

    /// What it is unless somebody says otherwise.
    pub fn default(&self) -> Value {
        match self.kind {
            KeyKind::Integer { default, .. } => Value::Number(default as f64),
            KeyKind::Real { default, .. } => Value::Number(default),
            KeyKind::Flag(default) => Value::Flag(default),
            KeyKind::Integers { default, .. } => Value::Numbers(default.map(|number| number as f64)),
            KeyKind::Choice(words) => Value::Text(words[0].to_owned()),
            KeyKind::Text(default) => Value::Text(default.to_owned()),
            KeyKind::Texts => Value::Texts(Vec::new()),
        }
    }

    /// What it may be, in words.
    pub fn wanted(&self) -> String {
        match self.kind {
            KeyKind::Integer { range: [min, max], .. } => format!("a whole number from {min} to {max}"),
            KeyKind::Real { range: [f64::MIN, f64::MAX], .. } => "a finite number".to_owned(),
            KeyKind::Real { range: [min, f64::MAX], .. } => format!("a number from {min} up"),
            KeyKind::Real { range: [min, max], .. } => format!("a number from {min} to {max}"),
            KeyKind::Flag(_) => "true or false".to_owned(),
            KeyKind::Integers { range: [min, max], .. } => {
                format!("two whole numbers from {min} to {max}, the smaller first")
            }
            KeyKind::Choice(words) => format!("one of {}", words.join(", ")),
            KeyKind::Text(_) => "a text".to_owned(),
            KeyKind::Texts => "a list of texts".to_owned(),
        }
    }

    fn check(&self, value: &Value) -> Result<(), KeyError> {
        let fits = match (&self.kind, value) {
            (KeyKind::Integer { range, .. }, Value::Number(number)) => is_whole_within(*number, *range),
            (KeyKind::Integers { range, .. }, Value::Numbers([one, two])) => {
                one <= two && is_whole_within(*one, *range) && is_whole_within(*two, *range)
            }
            (KeyKind::Flag(_), Value::Flag(_)) | (KeyKind::Text(_), Value::Text(_)) => true,
            (KeyKind::Real { range: [min, max], .. }, Value::Number(number)) => {
                (*min..=*max).contains(number)
            }
            (KeyKind::Choice(words), Value::Text(text)) => words.contains(&text.as_str()),
            (KeyKind::Texts, Value::Texts(_)) => true,
            _ => false,
        };
        if fits { Ok(()) } else { Err(KeyError::new(self.name, format!("{value}: give {}", self.wanted()))) }
    }
}

fn is_whole_within(number: f64, [min, max]: [i64; 2]) -> bool {
    number.fract() == 0.0 && (min as f64..=max as f64).contains(&number)
}

/// The values of a list of keys, each of which it can have.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    keys: &'static [Key],
    values: BTreeMap<&'static str, Value>,
}

impl Settings {
    /// All defaults.
    pub fn new(keys: &'static [Key]) -> Self {
        Self { keys, values: keys.iter().map(|key| (key.name, key.default())).collect() }
    }

    /// Changes a value. Nothing happens to a key that is not one of these.
    ///
    /// # Errors
    ///
    /// When the key cannot have the value.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), KeyError> {
        if let Some(key) = self.keys.iter().find(|key| key.name == name) {
            key.check(&value)?;
            self.values.insert(key.name, value);
        }
        Ok(())
    }

    /// Every key with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Key, &Value)> {
        self.keys.iter().map(|key| (key, &self.values[key.name]))
    }

    /// A number.
    ///
    /// # Panics
    ///
    /// When no key has this name, or it is no number.
    pub fn number(&self, name: &str) -> f64 {
        match self.values[name] {
            Value::Number(number) => number,
            _ => panic!("{name} is no number"),
        }
    }

    /// A whole number that is not negative.
    ///
    /// # Panics
    ///
    /// When no key has this name, or it is no number.
    pub fn count(&self, name: &str) -> usize {
        self.number(name) as usize
    }

    /// Two whole numbers that are not negative.
    ///
    /// # Panics
    ///
    /// When no key has this name, or it is no pair.
    pub fn counts(&self, name: &str) -> [u32; 2] {
        match self.values[name] {
            Value::Numbers(numbers) => numbers.map(|number| number as u32),
            _ => panic!("{name} is no pair"),
        }
    }

    /// Whether a switch is on.
    ///
    /// # Panics
    ///
    /// When no key has this name, or it is no switch.
    pub fn flag(&self, name: &str) -> bool {
        match self.values[name] {
            Value::Flag(flag) => flag,
            _ => panic!("{name} is no switch"),
        }
    }

    /// The text, or the word that was chosen.
    ///
    /// # Panics
    ///
    /// When no key has this name, or it is no text.
    pub fn choice(&self, name: &str) -> &str {
        match &self.values[name] {
            Value::Text(text) => text,
            _ => panic!("{name} is no text"),
        }
    }

    /// The texts of a list.
    ///
    /// # Panics
    ///
    /// When no key has this name, or it is no list.
    pub fn texts(&self, name: &str) -> &[String] {
        match &self.values[name] {
            Value::Texts(texts) => texts,
            _ => panic!("{name} is no list"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &[Key] = &[
        Key::integer("population", [2, 100], 20, "how many"),
        Key::real("chance", [0.0, 1.0], 0.5, "how likely"),
        Key::choice("selection", &["rank", "tournament"], "who"),
        Key::texts("opponents", "against whom"),
    ];

    #[test]
    fn defaults_are_those_of_the_keys() {
        let settings = Settings::new(KEYS);
        assert_eq!((settings.count("population"), settings.number("chance")), (20, 0.5));
        assert_eq!((settings.choice("selection"), settings.texts("opponents").len()), ("rank", 0));
    }

    #[test]
    fn values_that_cannot_be_are_refused_with_what_can() {
        let mut settings = Settings::new(KEYS);
        let mut error = |name: &str, value| settings.set(name, value).expect_err("a bad value").to_string();
        assert_eq!(
            error("population", Value::Number(1.0)),
            "population: 1: give a whole number from 2 to 100"
        );
        assert_eq!(
            error("population", Value::Number(2.5)),
            "population: 2.5: give a whole number from 2 to 100"
        );
        assert_eq!(error("chance", Value::Number(f64::NAN)), "chance: NaN: give a number from 0 to 1");
        assert_eq!(
            error("selection", Value::Text("best".to_owned())),
            "selection: \"best\": give one of rank, tournament"
        );
        assert_eq!(error("opponents", Value::Number(3.0)), "opponents: 3: give a list of texts");
    }
}
