/// A number that somebody has to choose: a weight of an evaluation, a setting of a search, an option of an engine.
///
/// Those that are declared in the program have static names; those of a space have names of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameter<N = &'static str> {
    /// Its name in files.
    pub name: N,
    /// What it multiplies or does.
    pub about: &'static str,
    /// Which numbers it can be.
    pub kind: Kind,
    /// The smallest value that makes sense.
    pub min: f64,
    /// The largest value that makes sense.
    pub max: f64,
    /// A value that plays reasonably.
    pub default: f64,
    /// A change that makes a difference in play: what it is first changed by when a better value is sought.
    pub step: f64,
}

/// The numbers that a [`Parameter`] can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any number.
    Real,
    /// Whole numbers.
    Integer,
    /// Off or on, 0 or 1.
    Flag,
}

impl Parameter {
    /// A parameter that can be any number from `min` to `max`.
    pub const fn real(name: &'static str, [min, max]: [f64; 2], default: f64, about: &'static str) -> Self {
        Self::new(Kind::Real, name, [min, max], default, about)
    }

    /// A parameter that can be any whole number from `min` to `max`.
    pub const fn integer(
        name: &'static str,
        [min, max]: [f64; 2],
        default: f64,
        about: &'static str,
    ) -> Self {
        Self::new(Kind::Integer, name, [min, max], default, about)
    }

    /// A parameter with the usual step: a twentieth of the range, as tuners of engines begin, and at least 1 for whole numbers.
    pub const fn new(
        kind: Kind,
        name: &'static str,
        [min, max]: [f64; 2],
        default: f64,
        about: &'static str,
    ) -> Self {
        let twentieth = (max - min) / 20.0;
        let step = match kind {
            Kind::Real => twentieth,
            Kind::Integer | Kind::Flag if twentieth < 1.0 => 1.0,
            Kind::Integer | Kind::Flag => twentieth as i64 as f64,
        };
        Self { name, about, kind, min, max, default, step }
    }

    /// The same under another name.
    pub fn named(&self, name: String) -> Parameter<String> {
        let Self { about, kind, min, max, default, step, .. } = *self;
        Parameter { name, about, kind, min, max, default, step }
    }
}

impl<N> Parameter<N> {
    /// Whether it can have this value.
    pub fn takes(&self, value: f64) -> bool {
        (self.min..=self.max).contains(&value) && (self.kind == Kind::Real || value.fract() == 0.0)
    }

    /// What it can be, in words.
    pub fn wanted(&self) -> String {
        let Self { min, max, .. } = self;
        match self.kind {
            Kind::Flag => "true or false".to_owned(),
            Kind::Integer => format!("a whole number from {min} to {max}"),
            Kind::Real => format!("a number from {min} to {max}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_of_the_kind_and_within_the_range() {
        let real = Parameter::real("x", [0.0, 2.0], 1.0, "");
        assert!(real.takes(0.5) && !real.takes(2.1) && !real.takes(f64::NAN));
        let integer = Parameter::integer("x", [0.0, 2.0], 1.0, "");
        assert!(integer.takes(2.0) && !integer.takes(0.5) && !integer.takes(3.0));
        assert_eq!(integer.wanted(), "a whole number from 0 to 2");
        let flag = Parameter::new(Kind::Flag, "x", [0.0, 1.0], 1.0, "");
        assert!(flag.takes(1.0) && !flag.takes(0.5) && !flag.takes(2.0));
    }

    #[test]
    fn steps_are_a_twentieth_of_the_range_and_whole_for_whole_numbers() {
        let step = |kind, max| Parameter::new(kind, "x", [0.0, max], 0.0, "").step;
        assert_eq!(step(Kind::Real, 12.0), 0.6);
        assert_eq!((step(Kind::Integer, 7.0), step(Kind::Integer, 1023.0)), (1.0, 51.0));
        assert_eq!(step(Kind::Flag, 1.0), 1.0);
    }
}
