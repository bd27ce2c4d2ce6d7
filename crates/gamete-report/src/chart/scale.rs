use crate::text::{fixed, scientific};

/// How values lie along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Evenly.
    Linear,
    /// By their logarithms; what is not positive has no place.
    Log,
}

/// From values to places in a drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    axis: Axis,
    low: f64,
    high: f64,
    step: f64,
    range: [f64; 2],
}

/// Whether a value can be drawn at all.
pub fn is_drawable(value: f64) -> bool {
    value.is_finite() && value.abs() < 1e12
}

impl Scale {
    /// A scale on which all values have room, with about so many ticks; none where nothing can be drawn.
    pub fn new(
        axis: Axis,
        values: impl IntoIterator<Item = f64>,
        range: [f64; 2],
        ticks: usize,
    ) -> Option<Self> {
        let (low, high) = values
            .into_iter()
            .filter(|&value| is_drawable(value) && (axis == Axis::Linear || value > 1e-12))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return None;
        }
        Some(match axis {
            Axis::Linear => {
                let room = if high - low > 1e-9 * high.abs().max(low.abs()) {
                    0.0
                } else {
                    (low.abs() * 0.1).max(0.5)
                };
                let (low, high) = (low - room, high + room);
                let step = nice_step((high - low) / ticks.max(1) as f64);
                let (low, high) = ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step);
                Self { axis, low, high, step, range }
            }
            Axis::Log => {
                let room = if high / low > 1.5 { 1.05 } else { 1.5 };
                Self { axis, low: low / room, high: high * room, step: ticks as f64, range }
            }
        })
    }

    /// A scale for whole numbers from the first to the last, with ticks at whole numbers only.
    pub fn whole(first: f64, last: f64, range: [f64; 2], ticks: usize) -> Self {
        let high = if last > first { last } else { first + 1.0 };
        let step = nice_step((high - first) / ticks.max(1) as f64).max(1.0);
        Self { axis: Axis::Linear, low: first, high, step, range }
    }

    /// A scale from one value to another and no further, with about so many ticks.
    pub fn exact(low: f64, high: f64, range: [f64; 2], ticks: usize) -> Self {
        Self { axis: Axis::Linear, low, high, step: nice_step((high - low) / ticks.max(1) as f64), range }
    }

    /// Where a value is drawn; what lies outside is drawn at the edge.
    pub fn place(&self, value: f64) -> Option<f64> {
        if !is_drawable(value) || self.axis == Axis::Log && value <= 0.0 {
            return None;
        }
        let share = match self.axis {
            Axis::Linear => (value - self.low) / (self.high - self.low),
            Axis::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        let [from, to] = self.range;
        Some(from + share.clamp(0.0, 1.0) * (to - from))
    }

    /// The smallest value that has a place of its own.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// The values to mark, and what to write there.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        match self.axis {
            Axis::Linear => self.linear_ticks(),
            Axis::Log => self.log_ticks(),
        }
    }

    fn linear_ticks(&self) -> Vec<(f64, String)> {
        let decimals = (-self.step.log10().floor()).clamp(0.0, 9.0) as usize;
        let first = (self.low / self.step - 1e-9).ceil();
        let count = ((self.high / self.step + 1e-9).floor() - first).max(0.0) as usize;
        (0..=count.min(100))
            .map(|index| (first + index as f64) * self.step)
            .map(|value| (value, fixed(value, decimals)))
            .collect()
    }

    /// Powers of ten, with 2 and 5 between them where there is room, or only every so many powers where there is none.
    fn log_ticks(&self) -> Vec<(f64, String)> {
        let (low, high) = (self.low.log10(), self.high.log10());
        let decades = high - low;
        let wanted = self.step.max(2.0);
        let within = |value: &f64| *value >= self.low * (1.0 - 1e-9) && *value <= self.high * (1.0 + 1e-9);
        let every = (decades / wanted).ceil().max(1.0) as i32;
        let parts: &[f64] = match decades {
            few if few <= 0.9 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0],
            some if some * 3.0 <= wanted * 1.5 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let values: Vec<f64> = (low.floor() as i32..=high.ceil() as i32)
            .filter(|power| power % every == 0)
            .flat_map(|power| parts.iter().map(move |part| part * 10_f64.powi(power)))
            .filter(within)
            .collect();
        if values.len() < 2 {
            let step = nice_step((self.high - self.low) / wanted);
            return Self { axis: Axis::Linear, step, ..self.clone() }.linear_ticks();
        }
        values.into_iter().map(|value| (value, log_label(value))).collect()
    }
}

fn log_label(value: f64) -> String {
    if (1e-4..1e5).contains(&value) {
        let text = fixed(value, 5);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        scientific(value)
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `step`.
pub(super) fn nice_step(step: f64) -> f64 {
    if step <= 0.0 || !step.is_finite() {
        return 1.0;
    }
    let power = 10_f64.powf(step.log10().floor());
    let part = step / power;
    let nice = [1.0, 2.0, 5.0].into_iter().find(|&nice| part <= nice * (1.0 + 1e-9)).unwrap_or(10.0);
    nice * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: &Scale) -> Vec<String> {
        scale.ticks().into_iter().map(|(_, label)| label).collect()
    }

    fn scale(axis: Axis, values: &[f64]) -> Scale {
        Scale::new(axis, values.iter().copied(), [100.0, 0.0], 5).unwrap()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(&scale(Axis::Linear, &[3.0, 97.0])), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(
            labels(&scale(Axis::Linear, &[-0.12, 0.31])),
            ["−0.2", "−0.1", "0.0", "0.1", "0.2", "0.3", "0.4"]
        );
        assert_eq!(
            labels(&scale(Axis::Linear, &[1200.0, 4100.0])),
            ["1,000", "2,000", "3,000", "4,000", "5,000"]
        );
        let nearly_equal = scale(Axis::Linear, &[100.0, 100.0 + 1e-13]);
        assert_eq!(labels(&nearly_equal), ["90", "95", "100", "105", "110"]);
        assert_eq!(labels(&Scale::whole(0.0, 30.0, [0.0, 1.0], 6)), ["0", "5", "10", "15", "20", "25", "30"]);
        assert_eq!(labels(&Scale::whole(0.0, 2.0, [0.0, 1.0], 6)), ["0", "1", "2"]);
        assert_eq!(labels(&Scale::whole(0.0, 0.0, [0.0, 1.0], 6)), ["0", "1"]);
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten_and_what_fits_between() {
        assert_eq!(labels(&scale(Axis::Log, &[0.06, 3.0])), ["0.1", "0.2", "0.5", "1", "2"]);
        assert_eq!(labels(&scale(Axis::Log, &[1e-5, 10.0])), ["0.0001", "0.01", "1"]);
        assert_eq!(labels(&scale(Axis::Log, &[0.26, 1.0])), ["0.3", "0.4", "0.5", "0.7", "1"]);
        assert!(labels(&scale(Axis::Log, &[3.0, 3.1])).len() >= 2);
    }

    #[test]
    fn values_are_between_the_ends() {
        let linear = scale(Axis::Linear, &[0.0, 10.0]);
        assert_eq!(linear.place(0.0), Some(100.0));
        assert_eq!(linear.place(5.0), Some(50.0));
        assert_eq!(linear.place(1e9), Some(0.0), "at the edge");
        let log = Scale { low: 0.01, high: 100.0, ..scale(Axis::Log, &[1.0]) };
        assert!((log.place(1.0).unwrap() - 50.0).abs() < 1e-9);
        assert_eq!(log.place(0.0), None);
        assert_eq!(log.place(-1.0), None);
    }

    #[test]
    fn what_is_no_number_has_no_place() {
        assert_eq!(Scale::new(Axis::Linear, [f64::NAN, f64::INFINITY, 1e300], [0.0, 1.0], 5), None);
        assert_eq!(Scale::new(Axis::Log, [0.0, -1.0], [0.0, 1.0], 5), None);
        let scale = Scale::new(Axis::Linear, [f64::NAN, 1.0], [0.0, 1.0], 5).unwrap();
        assert_eq!(scale.place(f64::NAN), None);
        assert!(scale.place(1.0).unwrap().is_finite());
        assert!(scale.ticks().len() >= 2);
    }

    #[test]
    fn steps_are_the_next_nice_number() {
        let steps = [0.9, 1.0, 1.1, 3.0, 5.5, 0.03, 1234.0].map(nice_step);
        let nice = [1.0, 1.0, 2.0, 5.0, 10.0, 0.05, 2000.0];
        for (step, nice) in steps.into_iter().zip(nice) {
            assert!((step - nice).abs() < 1e-9, "{step} instead of {nice}");
        }
        assert_eq!(nice_step(0.0), 1.0);
    }
}
