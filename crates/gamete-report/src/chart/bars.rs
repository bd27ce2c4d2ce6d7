use std::fmt::Write;

use super::frame::{Frame, Size, nothing};
use super::scale::{Axis, Scale};
use crate::text::{Escaped, count, percent};

/// Shares of kinds, one above the other, by generation.
pub struct Shares<'a> {
    /// What is seen, in words.
    pub about: &'a str,
    /// How large it is.
    pub size: Size,
    /// The kinds, from below.
    pub kinds: [&'a str; 3],
    /// Each generation's number and how many there are of each kind.
    pub rows: Vec<(u32, [u64; 3])>,
}

const MAX_BARS: usize = 60;

impl Shares<'_> {
    /// The drawing.
    pub fn svg(&self) -> String {
        let rows = self.binned();
        if rows.is_empty() {
            return nothing();
        }
        let Size(width, height) = self.size;
        let frame =
            Frame { width, height, left: 46.0, right: width - 12.0, top: 10.0, bottom: height - 38.0 };
        let y = Scale::new(Axis::Linear, [0.0, 100.0], [frame.bottom, frame.top], 4).expect("two numbers");
        let (first, last) = (rows[0].0, rows[rows.len() - 1].1);
        let room = (frame.right - frame.left) / f64::from(last - first + 1);
        let edge = |generation: u32| frame.left + room * f64::from(generation - first);
        let mut svg = frame.open(self.about);
        svg.push_str(&frame.y_axis(&y, "%"));
        for (from, to, kinds) in &rows {
            let total: u64 = kinds.iter().sum();
            let (left, right) = (edge(*from), edge(to + 1));
            let gap = ((right - left) * 0.12).min(2.0);
            let generations =
                if from == to { format!("generation {from}") } else { format!("generations {from} to {to}") };
            let mut words = generations;
            for (name, &number) in self.kinds.iter().zip(kinds) {
                let _ =
                    write!(words, "\n{name}: {} ({})", count(number), percent(number as f64, total as f64));
            }
            svg.push_str("<g>");
            let mut below = 0.0;
            for (kind, &number) in kinds.iter().enumerate() {
                let share = 100.0 * number as f64 / total as f64;
                let (Some(bottom), Some(top)) = (y.place(below), y.place(below + share)) else { continue };
                below += share;
                if number > 0 {
                    let _ = write!(
                        svg,
                        "<rect class=\"k{kind}\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
                        left + gap / 2.0,
                        right - left - gap,
                        bottom - top
                    );
                }
            }
            let _ = write!(svg, "<title>{}</title></g>", Escaped(&words));
        }
        let middle = Scale::whole(
            f64::from(first),
            f64::from(last),
            [frame.left + room / 2.0, frame.right - room / 2.0],
            ((frame.right - frame.left) / 55.0) as usize,
        );
        svg.push_str(&frame.x_axis(&middle, "generation"));
        svg.push_str("</svg>");
        svg
    }

    /// Generations put together where there are too many to tell apart; those without anything are left out.
    fn binned(&self) -> Vec<(u32, u32, [u64; 3])> {
        let rows: Vec<_> = self.rows.iter().filter(|(_, kinds)| kinds.iter().sum::<u64>() > 0).collect();
        rows.chunks(rows.len().div_ceil(MAX_BARS).max(1))
            .map(|bin| {
                let sum = |kind: usize| bin.iter().map(|(_, kinds)| kinds[kind]).sum();
                (bin[0].0, bin[bin.len() - 1].0, [sum(0), sum(1), sum(2)])
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(rows: Vec<(u32, [u64; 3])>) -> Shares<'static> {
        Shares { about: "x", size: Size::SMALL, kinds: ["a", "b", "c"], rows }
    }

    #[test]
    fn many_generations_share_bars() {
        let bins = shares((0..=150).map(|number| (number, [u64::from(number > 0), 0, 2])).collect()).binned();
        assert!(bins.len() <= MAX_BARS);
        assert_eq!((bins[0].0, bins[bins.len() - 1].1), (0, 150));
        assert_eq!(bins.iter().map(|bin| bin.2[0]).sum::<u64>(), 150);
    }

    #[test]
    fn bars_fill_the_height() {
        let svg = shares(vec![(0, [0, 0, 0]), (1, [1, 1, 2])]).svg();
        let heights: f64 = svg
            .split("height=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().parse::<f64>().unwrap())
            .sum();
        assert!((heights - (Size::SMALL.1 - 48.0)).abs() < 0.5, "{heights}");
        assert!(svg.contains("c: 2 (50 %)"), "{svg}");
        assert_eq!(shares(vec![(0, [0, 0, 0])]).svg(), nothing());
    }
}
