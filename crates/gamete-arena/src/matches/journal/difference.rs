use serde_json::Value;

/// The first setting that is not the same.
pub(super) fn difference(known: &Value, wanted: &Value) -> String {
    match first_difference(known, wanted) {
        Some((name, known, wanted)) => format!("it has {name} {known}, not {wanted}"),
        None => "it has other settings".to_owned(),
    }
}

/// What is not the same between two lists of contestants.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Who plays: `A was …, is now …`.
    Engines(String),
    /// How much they may think: `A has …, not …`.
    Limits(String),
}

/// What is not the same between two lists of contestants, if anything.
pub(super) fn change(known: &Value, wanted: &Value) -> Option<Change> {
    let empty = Vec::new();
    let list = |value: &'_ Value| value.as_array().unwrap_or(&empty).len();
    if list(known) != list(wanted) {
        let text = format!("they were {} contestants, are now {}", list(known), list(wanted));
        return Some(Change::Engines(text));
    }
    let pairs = known.as_array()?.iter().zip(wanted.as_array()?);
    for (known, wanted) in pairs {
        if let Some((place, known_part, wanted_part)) = first_difference(known, wanted) {
            let name = known.get("name").and_then(Value::as_str).unwrap_or("a contestant");
            let place = place.replace("competitor engine ", "").replace("competitor player", "player");
            return Some(match place.as_str() {
                "name" => Change::Engines(format!("{known_part} is now {wanted_part}")),
                "limits" | "time_margin_ms" => {
                    Change::Limits(format!("{name} has {place} {known_part}, not {wanted_part}"))
                }
                place => Change::Engines(format!("{name} was {place} {known_part}, is now {wanted_part}")),
            });
        }
    }
    None
}

/// Where two values differ first, and what stands there.
fn first_difference(known: &Value, wanted: &Value) -> Option<(String, String, String)> {
    let below = |name: String, known: &Value, wanted: &Value| {
        let (place, known, wanted) = first_difference(known, wanted)?;
        Some((if place.is_empty() { name } else { format!("{name} {place}") }, known, wanted))
    };
    match (known, wanted) {
        (known, wanted) if known == wanted => None,
        (Value::Object(known), Value::Object(wanted)) => {
            let names = wanted.keys().chain(known.keys().filter(|&name| !wanted.contains_key(name)));
            let of = |map: &serde_json::Map<String, Value>, name| map.get(name).cloned().unwrap_or_default();
            names.into_iter().find_map(|name| below(name.clone(), &of(known, name), &of(wanted, name)))
        }
        (Value::Array(known), Value::Array(wanted)) if known.len() == wanted.len() => {
            let mut pairs = known.iter().zip(wanted).enumerate();
            pairs.find_map(|(index, (known, wanted))| below((index + 1).to_string(), known, wanted))
        }
        (Value::String(known), Value::String(wanted)) => {
            // Of a player's file the line is enough.
            let pairs = known.lines().zip(wanted.lines()).find(|(known, wanted)| known != wanted);
            let (known, wanted) = pairs.unwrap_or((known, wanted));
            Some((String::new(), short(&format!("{known:?}")), short(&format!("{wanted:?}"))))
        }
        _ => Some((String::new(), short(&known.to_string()), short(&wanted.to_string()))),
    }
}

/// What can be shown in a message: `nothing` for null, and no more than fits.
fn short(text: &str) -> String {
    const MAX: usize = 100;
    match text {
        "null" => "nothing".to_owned(),
        text if text.chars().count() > MAX => text.chars().take(MAX).chain(['…']).collect(),
        text => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let known = json!({ "game": "chess", "nodes": 5, "list": [1, { "a": "x" }], "old": true });
        let with = |name: &str, value: Value| {
            let mut other = known.clone();
            other[name] = value;
            difference(&known, &other)
        };
        assert_eq!(with("nodes", json!(6)), "it has nodes 5, not 6");
        assert_eq!(with("game", json!("go")), "it has game \"chess\", not \"go\"");
        assert_eq!(with("list", json!([1, { "a": "y" }])), "it has list 2 a \"x\", not \"y\"");
        assert_eq!(with("reverse", json!(true)), "it has reverse nothing, not true");
        assert_eq!(
            difference(&known, &json!({ "game": "chess", "nodes": 5, "list": [1, { "a": "x" }] })),
            "it has old true, not nothing"
        );
    }

    #[test]
    fn contestants_are_named_with_what_changed() {
        let contestant = |name: &str, cmd: &str, nodes: &str| json!({ "name": name, "competitor": { "engine": { "cmd": cmd } }, "limits": nodes });
        let known = json!([contestant("A", "a", "nodes=1"), contestant("B", "b", "nodes=1")]);
        let change = |first: Value| change(&known, &json!([first, contestant("B", "b", "nodes=1")]));
        let engines = |text: &str| Some(Change::Engines(text.to_owned()));
        assert_eq!(change(contestant("A", "a", "nodes=1")), None);
        assert_eq!(change(contestant("A", "c", "nodes=1")), engines("A was cmd \"a\", is now \"c\""));
        let limits = "A has limits \"nodes=1\", not \"nodes=2\"".to_owned();
        assert_eq!(change(contestant("A", "a", "nodes=2")), Some(Change::Limits(limits)));
        assert_eq!(change(contestant("C", "a", "nodes=1")), engines("\"A\" is now \"C\""));
        assert_eq!(super::change(&known, &json!([])), engines("they were 2 contestants, are now 0"));
    }
}
