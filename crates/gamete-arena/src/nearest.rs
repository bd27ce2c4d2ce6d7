/// The known name that is most like `name`.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |known: &str| strsim::jaro_winkler(&name.to_lowercase(), known);
    known.into_iter().max_by(|one, two| likeness(one).total_cmp(&likeness(two)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_recognised() {
        let known = ["pawn", "knight", "bishop", "rook", "queen"];
        assert_eq!(nearest("Knigth", known), Some("knight"));
        assert_eq!(nearest("bishops", known), Some("bishop"));
    }
}
