use std::fmt::Write;

const HEIGHT: usize = 16;
const WIDTH: usize = 72;

/// Series over generations as a plot of letters; where two meet, the later one is seen.
pub fn chart(series: &[(char, Vec<f64>)]) -> String {
    let values = || series.iter().flat_map(|(_, values)| values).copied().filter(|value| value.is_finite());
    let (low, high) =
        values().fold((0.0_f64, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    let last = series.iter().map(|(_, values)| values.len()).max().unwrap_or(0).saturating_sub(1);
    if last == 0 || high <= low {
        return String::new();
    }
    let width = WIDTH.min(last + 1);
    let mut rows = vec![vec![' '; width]; HEIGHT];
    for (letter, values) in series {
        let columns = (0..width).map(|column| (column, column * last / (width - 1)));
        for (column, index) in columns {
            if let Some(value) = values.get(index).filter(|value| value.is_finite()) {
                let row = ((high - value) / (high - low) * (HEIGHT - 1) as f64).round() as usize;
                rows[row.min(HEIGHT - 1)][column] = *letter;
            }
        }
    }
    let mut text = String::new();
    for (index, row) in rows.into_iter().enumerate() {
        let value = high - (high - low) * index as f64 / (HEIGHT - 1) as f64;
        let label = if index % 5 == 0 { format!("{value:8.2}") } else { " ".repeat(8) };
        let row: String = row.into_iter().collect();
        let _ = writeln!(text, "{label} |{}", row.trim_end());
    }
    let _ = writeln!(text, "{:>8} +{}", "", "-".repeat(width));
    let _ = writeln!(
        text,
        "{:>10}0 {:>width$}",
        "",
        format!("generation {last}"),
        width = width.saturating_sub(2)
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_where_the_values_are() {
        let text = chart(&[('A', vec![0.0, 1.0, 2.0]), ('B', vec![2.0, 2.0, 2.0])]);
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), HEIGHT + 2);
        assert_eq!(rows[0], "    2.00 |BBB");
        assert_eq!(rows[15], "    0.00 |A");
        assert!(rows[17].contains("generation 2"), "{text}");
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert_eq!(chart(&[]), "");
        assert_eq!(chart(&[('A', vec![1.0])]), "");
        assert_eq!(chart(&[('A', vec![f64::NAN, f64::NAN])]), "");
    }
}
