use std::fmt::Write;

use super::scale::is_drawable;
use crate::text::{Escaped, fixed, scientific};

/// A board of checkers with a value on each square, told by colour and number. Square 1 is at the top.
pub struct Heat<'a> {
    /// What is seen, in words.
    pub about: &'a str,
    /// From square 1; not a number where there is none.
    pub values: [f64; 32],
    /// The size that has the full colour.
    pub largest: f64,
}

const SIDE: usize = 40;

impl Heat<'_> {
    /// The drawing. Squares are groups that the page's script fills anew.
    pub fn svg(&self) -> String {
        let size = 8 * SIDE;
        let mut svg = format!(
            "<svg class=\"heat\" viewBox=\"0 0 {size} {size}\" role=\"img\" aria-label=\"{}\">\
             <rect class=\"ground\" width=\"{size}\" height=\"{size}\"/>",
            Escaped(self.about)
        );
        for (index, &value) in self.values.iter().enumerate() {
            let (row, column) = (index / 4, index % 4 * 2 + usize::from(index / 4 % 2 == 0));
            let (class, strength) = color(value, self.largest);
            let _ = write!(
                svg,
                "<g transform=\"translate({} {})\"><rect class=\"zero\" width=\"{SIDE}\" height=\"{SIDE}\"/>\
                 <rect class=\"{class}\" fill-opacity=\"{strength:.3}\" width=\"{SIDE}\" height=\"{SIDE}\"/>\
                 <text x=\"3\" y=\"10\">{}</text><text class=\"value\" x=\"20\" y=\"27\">{}</text></g>",
                column * SIDE,
                row * SIDE,
                index + 1,
                label(value)
            );
        }
        svg + "</svg>"
    }
}

/// The class of a value and how strong its colour is, from 0 to 1.
fn color(value: f64, largest: f64) -> (&'static str, f64) {
    if !is_drawable(value) {
        return ("none", 1.0);
    }
    let strength = if largest > 0.0 { (value.abs() / largest).min(1.0) } else { 0.0 };
    (if value < 0.0 { "minus" } else { "plus" }, strength)
}

/// A value with as many digits as a square has room for; nothing for what is no number.
pub fn label(value: f64) -> String {
    match value.abs() {
        size if size < 9.995 => fixed(value, 2),
        size if size < 99.95 => fixed(value, 1),
        size if size < 9999.5 => fixed(value, 0).replace(',', ""),
        _ if is_drawable(value) => scientific(value),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_room_in_their_squares() {
        let texts = [1.234, -9.994, -12.34, 99.96, -1234.0, 12_345.0, f64::NAN, 1e300].map(label);
        assert_eq!(texts, ["1.23", "−9.99", "−12.3", "100", "−1234", "1e4", "", ""]);
    }

    #[test]
    fn the_sign_is_the_colour_and_the_size_its_strength() {
        assert_eq!(color(3.0, 4.0), ("plus", 0.75));
        assert_eq!(color(-4.0, 4.0), ("minus", 1.0));
        assert_eq!(color(0.0, 0.0), ("plus", 0.0));
        assert_eq!(color(f64::NAN, 1.0), ("none", 1.0));
    }

    #[test]
    fn squares_are_where_checkers_has_them() {
        let mut values = [f64::NAN; 32];
        values[0] = 1.0;
        values[31] = -1.0;
        let svg = Heat { about: "a<b", values, largest: 1.0 }.svg();
        let groups: Vec<&str> = svg.split("<g transform=\"translate(").skip(1).collect();
        assert!(groups[0].starts_with("40 0)") && groups[0].contains("class=\"plus\""));
        assert!(groups[4].starts_with("0 40)") && groups[4].contains("class=\"none\""));
        assert!(groups[31].starts_with("240 280)") && groups[31].contains(">−1.00<"));
        assert!(svg.contains("a&lt;b") && !svg.contains("NaN"));
    }
}
