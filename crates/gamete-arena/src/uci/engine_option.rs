/// An option that an engine says it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineOption {
    /// Its name, which may be several words.
    pub name: String,
    /// What it takes.
    pub kind: OptionKind,
}

/// What an option takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// What it is unless set.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// What it is unless set.
        default: i64,
        /// The least it can be.
        min: i64,
        /// The most it can be.
        max: i64,
    },
    /// One of some values.
    Combo {
        /// What it is unless set.
        default: String,
        /// The values.
        choices: Vec<String>,
    },
    /// Nothing: to set it is to press it.
    Button,
    /// Any text.
    String {
        /// What it is unless set.
        default: String,
    },
}

impl EngineOption {
    /// Reads the words behind `option`, if they describe one.
    pub(crate) fn parse(words: &str) -> Option<Self> {
        let mut words = words.split_ascii_whitespace();
        if words.next()? != "name" {
            return None;
        }
        let name = words.by_ref().take_while(|&word| word != "type").collect::<Vec<_>>().join(" ");
        let kind = words.next()?;
        let mut fields = Fields::default();
        let mut field = None;
        for word in words {
            // The default of a text may be any words, and is always last.
            let in_text = kind == "string" && field == Some("default");
            match word {
                "default" | "min" | "max" | "var" if !in_text => {
                    field = Some(word);
                    if word == "var" {
                        fields.choices.push(String::new());
                    }
                }
                _ => fields.add(field, word),
            }
        }
        let number = |text: &str, otherwise: i64| text.parse().unwrap_or(otherwise);
        let kind = match kind {
            "check" => OptionKind::Check { default: fields.default == "true" },
            "spin" => OptionKind::Spin {
                default: number(&fields.default, 0),
                min: number(&fields.min, i64::MIN),
                max: number(&fields.max, i64::MAX),
            },
            "combo" => OptionKind::Combo { default: fields.default, choices: fields.choices },
            "button" => OptionKind::Button,
            "string" => OptionKind::String { default: fields.default },
            _ => return None,
        };
        (!name.is_empty()).then_some(Self { name, kind })
    }

    /// Whether this is the option called `name`, whatever its capitals.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// What the option takes in words, if that is not `value`.
    pub fn refusal(&self, value: &str) -> Option<String> {
        if value.contains(['\n', '\r']) {
            return Some("one line".to_owned());
        }
        match &self.kind {
            OptionKind::Check { .. } => {
                (!matches!(value, "true" | "false")).then(|| "true or false".to_owned())
            }
            OptionKind::Spin { min, max, .. } => {
                let fits = value.parse::<i64>().is_ok_and(|number| (*min..=*max).contains(&number));
                (!fits).then(|| format!("a number from {min} to {max}"))
            }
            OptionKind::Combo { choices, .. } => {
                let fits = choices.iter().any(|choice| choice.eq_ignore_ascii_case(value));
                (!fits).then(|| format!("one of {}", choices.join(", ")))
            }
            OptionKind::Button | OptionKind::String { .. } => None,
        }
    }
}

#[derive(Default)]
struct Fields {
    default: String,
    min: String,
    max: String,
    choices: Vec<String>,
}

impl Fields {
    fn add(&mut self, field: Option<&str>, word: &str) {
        let text = match field {
            Some("default") => &mut self.default,
            Some("min") => &mut self.min,
            Some("max") => &mut self.max,
            Some(_) => self.choices.last_mut().expect("a choice begun by var"),
            None => return,
        };
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> EngineOption {
        EngineOption::parse(words).unwrap()
    }

    #[test]
    fn every_kind_is_read() {
        let threads = parse("name Threads type spin default 1 min 1 max 1024");
        assert_eq!(threads.kind, OptionKind::Spin { default: 1, min: 1, max: 1024 });
        let clear = parse("name Clear Hash type button");
        assert_eq!((clear.name.as_str(), clear.kind), ("Clear Hash", OptionKind::Button));
        let style =
            parse("name Playing Style type combo default Very Solid var Very Solid var Normal var Risky");
        let choices = ["Very Solid", "Normal", "Risky"].map(str::to_owned).to_vec();
        assert_eq!(style.kind, OptionKind::Combo { default: "Very Solid".to_owned(), choices });
        let book = parse("name Book File type string default my var book.bin");
        assert_eq!(book.kind, OptionKind::String { default: "my var book.bin".to_owned() });
        assert_eq!(
            parse("name Debug Log File type string default").kind,
            OptionKind::String { default: String::new() }
        );
        assert_eq!(parse("name Ponder type check default false").kind, OptionKind::Check { default: false });
    }

    #[test]
    fn what_is_no_option_is_passed_over() {
        for words in
            ["", "name", "name X", "name X type", "name X type slider", "name type spin", "X type spin"]
        {
            assert_eq!(EngineOption::parse(words), None, "{words}");
        }
    }

    #[test]
    fn values_are_checked() {
        let hash = parse("name Hash type spin default 16 min 1 max 64");
        assert_eq!(hash.refusal("64"), None);
        assert_eq!(hash.refusal("65").as_deref(), Some("a number from 1 to 64"));
        assert_eq!(hash.refusal("1.5").as_deref(), Some("a number from 1 to 64"));
        let ponder = parse("name Ponder type check default false");
        assert_eq!(ponder.refusal("yes").as_deref(), Some("true or false"));
        let style = parse("name Style type combo default A var A var B");
        assert_eq!(style.refusal("C").as_deref(), Some("one of A, B"));
        assert_eq!(parse("name Book type string default x").refusal("a\nquit").as_deref(), Some("one line"));
    }
}
