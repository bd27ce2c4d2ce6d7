use std::fmt::Write;

/// Rows and columns of a board of checkers, whose squares have the numbers 1 to 32 from the top, Black's side.
const ROWS: usize = 8;

/// Weights that belong to squares, as boards beside each other; nothing if there are others among them.
pub fn boards(champion: &[(String, f64)]) -> Option<String> {
    let mut boards: Vec<(&str, [f64; 32])> = Vec::new();
    for (name, value) in champion {
        let (piece, square) = name.rsplit_once('_')?;
        let square: usize = square.parse().ok().filter(|square| (1..=32).contains(square))?;
        if boards.last().is_none_or(|(last, _)| *last != piece) {
            boards.push((piece, [f64::NAN; 32]));
        }
        boards.last_mut()?.1[square - 1] = *value;
    }
    let mut text = String::new();
    for pair in boards.chunks(2) {
        let titles: Vec<String> =
            pair.iter().map(|(piece, _)| format!("{:<40}", piece.replace('_', " "))).collect();
        let _ = writeln!(text, "{}", titles.join("   ").trim_end());
        for row in 0..ROWS {
            let rows: Vec<String> = pair.iter().map(|(_, values)| board_row(values, row)).collect();
            let _ = writeln!(text, "{}", rows.join("   ").trim_end());
        }
        text.push('\n');
    }
    let mean = |values: &[f64; 32]| {
        let values = values.iter().filter(|value| value.is_finite());
        values.clone().sum::<f64>() / values.count() as f64
    };
    let means: Vec<String> = boards
        .iter()
        .map(|(piece, values)| format!("{} {:.2}", piece.replace('_', " "), mean(values)))
        .collect();
    let _ = writeln!(text, "mean {}", means.join(", "));
    Some(text)
}

/// A row of a board, with a dot for squares that are not played on.
fn board_row(values: &[f64; 32], row: usize) -> String {
    let cell = |column: usize| match (row + column) % 2 {
        0 => "    .".to_owned(),
        _ => match values[row * 4 + column / 2] {
            value if value.is_finite() => format!("{value:>5.1}"),
            _ => "    -".to_owned(),
        },
    };
    (0..ROWS).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_is_where_its_number_is() {
        let weights = |piece: &str, squares: std::ops::RangeInclusive<u32>| {
            squares.map(|square| (format!("{piece}_{square}"), f64::from(square))).collect::<Vec<_>>()
        };
        let text = boards(&[weights("man", 1..=28), weights("king", 1..=32)].concat()).expect("boards");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], format!("{:<40}   king", "man"));
        assert!(lines[1].starts_with("    .  1.0    .  2.0    .  3.0    .  4.0       .  1.0"), "{text}");
        assert!(lines[2].starts_with("  5.0    .  6.0    .  7.0    .  8.0    ."), "{text}");
        assert!(lines[8].starts_with("    -    .    -    .    -    .    -    .    29.0    . 30.0"), "{text}");
        assert_eq!(lines.last(), Some(&"mean man 14.50, king 16.50"));
    }

    #[test]
    fn other_weights_have_no_board() {
        assert_eq!(boards(&[("pawn".to_owned(), 1.0)]), None);
        assert_eq!(boards(&[("man_1".to_owned(), 1.0), ("man_33".to_owned(), 1.0)]), None);
    }
}
