use std::fmt::Write;

use super::scale::Scale;
use crate::text::Escaped;

/// How large letters are drawn, in the units of a chart.
pub const LETTER: f64 = 6.4;

/// A rectangle with axes around it.
pub struct Frame {
    pub width: f64,
    pub height: f64,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

/// How large a chart is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size(pub f64, pub f64);

impl Size {
    /// One of many.
    pub const SMALL: Self = Self(350.0, 210.0);
    /// One that is looked at by itself.
    pub const LARGE: Self = Self(540.0, 300.0);
    /// One that has a row to itself.
    pub const WIDE: Self = Self(780.0, 340.0);
}

impl Frame {
    /// The beginning of a drawing with this description for those who cannot see it.
    pub fn open(&self, about: &str) -> String {
        format!(
            "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">",
            self.width,
            self.height,
            Escaped(about)
        )
    }

    /// Lines across and numbers beside them.
    pub fn y_axis(&self, scale: &Scale, unit: &str) -> String {
        let mut svg = String::new();
        for (value, label) in scale.ticks() {
            let Some(y) = scale.place(value) else { continue };
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{} {y:.1}H{}\"/><text class=\"end\" x=\"{}\" y=\"{:.1}\">{label}{unit}</text>",
                self.left,
                self.right,
                self.left - 6.0,
                y + 4.0
            );
        }
        svg
    }

    /// The line below, numbers under it and what they count.
    pub fn x_axis(&self, scale: &Scale, name: &str) -> String {
        let mut svg = format!("<path class=\"axis\" d=\"M{} {}H{}\"/>", self.left, self.bottom, self.right);
        for (value, label) in scale.ticks() {
            let Some(x) = scale.place(value) else { continue };
            let _ = write!(
                svg,
                "<path class=\"axis\" d=\"M{x:.1} {}v4\"/><text class=\"middle\" x=\"{x:.1}\" y=\"{}\">{label}</text>",
                self.bottom,
                self.bottom + 16.0
            );
        }
        if !name.is_empty() {
            let _ = write!(
                svg,
                "<text class=\"middle name\" x=\"{:.1}\" y=\"{}\">{}</text>",
                f64::midpoint(self.left, self.right),
                self.bottom + 31.0,
                Escaped(name)
            );
        }
        svg
    }
}

/// How much room a text needs.
pub fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

/// What stands in the place of a chart without anything to draw.
pub fn nothing() -> String {
    "<p class=\"nothing\">nothing to draw yet</p>".to_owned()
}

/// Indices of about so many of `count` things, evenly spread, the first and the last among them.
pub fn spread_out(count: usize, most: usize) -> Vec<usize> {
    if count <= most || most < 2 {
        return (0..count.min(most.max(1))).collect();
    }
    (0..most).map(|index| index * (count - 1) / (most - 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_keep_both_ends() {
        assert_eq!(spread_out(3, 5), [0, 1, 2]);
        assert_eq!(spread_out(9, 5), [0, 2, 4, 6, 8]);
        assert_eq!(spread_out(100, 4), [0, 33, 66, 99]);
        assert!(spread_out(0, 4).is_empty());
        assert_eq!(spread_out(7, 1), [0]);
    }
}
