/// More names than this are not listed.
const FEW: usize = 20;

/// The known name that `name` is a slip of the finger away from, or the beginning of; nothing where none is near.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let near = |known: &'a str| distance(&name, &known.to_lowercase()).map(|distance| (distance, known));
    known.into_iter().filter_map(near).min_by_key(|&(distance, _)| distance).map(|(_, known)| known)
}

/// What to put behind the message that there is no `name`: what was probably meant, or else all there are if they are few.
pub fn suggest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<_> = known.into_iter().collect();
    match nearest(name, known.iter().copied()) {
        Some(nearest) => format!("; did you mean {nearest:?}?"),
        None if known.is_empty() || known.len() > FEW => String::new(),
        None => format!("; there are {}", known.join(", ")),
    }
}

/// How many slips of the finger lie between two words, if no more than one for each three letters. Letters that are missing
/// at the end of a word of some length count as one.
fn distance(name: &str, known: &str) -> Option<usize> {
    let length = name.chars().count();
    let whole = strsim::damerau_levenshtein(name, known);
    let most = length.max(known.chars().count()).max(3) / 3;
    let begun = (length.saturating_sub(1)..=length + 1).filter(|_| length >= 3).map(|cut| {
        let start: String = known.chars().take(cut).collect();
        1 + strsim::damerau_levenshtein(name, &start)
    });
    let begun = begun.min().filter(|&slips| slips <= length / 3);
    Some(whole).filter(|&slips| slips <= most).into_iter().chain(begun).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 5] = ["pawn", "knight", "bishop", "rook", "queen"];

    #[test]
    fn a_slip_of_the_finger_is_recognised() {
        assert_eq!(nearest("Knigth", KNOWN), Some("knight"));
        assert_eq!(nearest("bishops", KNOWN), Some("bishop"));
        assert_eq!(nearest("pwan", KNOWN), Some("pawn"));
        assert_eq!(nearest("roo", KNOWN), Some("rook"));
        assert_eq!(nearest("mutation", ["mutation.edge_loser", "population"]), Some("mutation.edge_loser"));
        assert_eq!(
            nearest("kendal-whitwell-1", ["kendall-whitwell-1-5f3a"]),
            Some("kendall-whitwell-1-5f3a")
        );
    }

    #[test]
    fn what_is_far_from_everything_is_not_guessed_at() {
        for name in ["", "x", "stockfish", "kinght_and_bishop", "zzzz", "king", "aq"] {
            assert_eq!(nearest(name, KNOWN), None, "{name}");
        }
        assert_eq!(suggest("stockfish", KNOWN), "; there are pawn, knight, bishop, rook, queen");
        assert_eq!(suggest("quen", KNOWN), "; did you mean \"queen\"?");
        assert_eq!(suggest("x", std::iter::repeat_n("queen", 21)), "");
        assert_eq!(suggest("x", []), "");
    }
}
