//! Values that were found, in the forms in which people paste them back.

use std::fmt::Write;

use gamete_game::Kind;
use serde::Serialize;

use super::TunedParameter;

/// Values in one form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ValueText {
    /// The form, for people.
    pub form: &'static str,
    /// The lines.
    pub text: String,
}

/// Values of parameters, which are `start` of each, as `setoption` lines where they are options of an engine, as lines for
/// OpenBench, as `#define`s of C, and as our TOML. `is_option` says whether they are options of an engine.
pub fn value_texts(parameters: &[TunedParameter], is_option: bool) -> Vec<ValueText> {
    let text = |line: fn(&TunedParameter) -> String| {
        parameters.iter().fold(String::new(), |mut text, parameter| {
            let _ = writeln!(text, "{}", line(parameter));
            text
        })
    };
    let mut texts = vec![
        ValueText { form: "OpenBench", text: text(openbench) },
        ValueText { form: "C", text: text(define) },
        ValueText { form: "TOML", text: text(own) },
    ];
    if is_option {
        texts.insert(0, ValueText { form: "UCI", text: text(set_option) });
    }
    texts
}

/// A number as an engine is told of it.
fn value(parameter: &TunedParameter) -> String {
    let number = parameter.start.unwrap_or(parameter.range[0]);
    match parameter.kind {
        Kind::Flag => (number != 0.0).to_string(),
        Kind::Integer => format!("{number:.0}"),
        Kind::Real => number.to_string(),
    }
}

fn set_option(parameter: &TunedParameter) -> String {
    format!("setoption name {} value {}", parameter.name, value(parameter))
}

fn openbench(parameter: &TunedParameter) -> String {
    let TunedParameter { name, kind, start, range: [min, max], step, rate } = parameter;
    let kind_word = if *kind == Kind::Real { "float" } else { "int" };
    let start = start.unwrap_or(*min);
    let step = step.unwrap_or_else(|| usual_step(*kind, [*min, *max]));
    format!("{name}, {kind_word}, {start}, {min}, {max}, {step}, {}", rate.unwrap_or(USUAL_RATE))
}

fn define(parameter: &TunedParameter) -> String {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let number = match parameter.kind {
        Kind::Flag => f64::from(u8::from(parameter.start.unwrap_or_default() != 0.0)).to_string(),
        _ => value(parameter),
    };
    let remark = if parameter.is_frozen() { " // kept" } else { "" };
    format!("#define {} {number}{remark}", parameter.name.chars().map(letter).collect::<String>())
}

fn own(parameter: &TunedParameter) -> String {
    let TunedParameter { name, kind, range: [min, max], step, rate, .. } = parameter;
    let is_plain = !name.is_empty()
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter));
    let key = if is_plain { name.clone() } else { toml::Value::from(name.as_str()).to_string() };
    if parameter.is_frozen() {
        return format!("{key} = {} # kept", value(parameter));
    }
    let number = |number: f64| match kind {
        Kind::Real => format!("{number:?}"),
        Kind::Integer => format!("{number:.0}"),
        Kind::Flag => (number != 0.0).to_string(),
    };
    let mut line = format!(
        "{key} = {{ value = {}, min = {}, max = {}",
        number(parameter.start.unwrap_or(*min)),
        number(*min),
        number(*max)
    );
    for (word, given) in [("step", step), ("rate", rate)] {
        if let Some(given) = given {
            let _ = write!(line, ", {word} = {given:?}");
        }
    }
    line + " }"
}

/// The rate at the end of SPSA that its users begin with.
const USUAL_RATE: f64 = 0.002;

/// The perturbation at the end of SPSA that Stockfish's `TUNE()` prints: a twentieth of the range.
fn usual_step(kind: Kind, [min, max]: [f64; 2]) -> f64 {
    let twentieth = (max - min) / 20.0;
    if kind == Kind::Real { twentieth } else { twentieth.max(TunedParameter::SMALLEST_WHOLE_STEP) }
}
