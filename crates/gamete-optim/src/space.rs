use std::fmt;

use gamete_game::{Kind, Parameter};
use serde::{Deserialize, Serialize};

use crate::{AxisChange, Genome, Rng};

/// What an experiment does with one parameter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "give a number that it keeps, or [smallest, largest] to begin with")]
pub enum Gene {
    /// It has this value in every genome.
    Pinned(f64),
    /// It begins somewhere in this range.
    Free([f64; 2]),
}

/// A parameter of a space.
#[derive(Debug, Clone, PartialEq)]
pub struct Dimension {
    /// The parameter, under its name in the space.
    pub parameter: Parameter<String>,
    /// What is done with it.
    pub gene: Gene,
    /// Whether it stays in the range that it begins in; if not, it goes where it likes.
    pub is_bounded: bool,
    /// Its learning rate at the end of a run of SPSA (r_end), where somebody gives it one of its own.
    pub rate: Option<f64>,
}

/// The parameters of an experiment, in order, and how numbers are made of genomes.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    dimensions: Vec<Dimension>,
}

/// Why a space cannot be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SpaceError {
    /// A number or a range that the parameter cannot have.
    #[error("{name}: {value}: {way_out}")]
    Value {
        /// Which parameter.
        name: String,
        /// What it is given.
        value: String,
        /// What to give instead.
        way_out: String,
    },
    /// There is nothing to find.
    #[error("every parameter is pinned; give one a range, as in pawn = [0, 12]")]
    NothingFree,
}

impl Space {
    /// The largest number whose square, and a sum of squares, is finite with much room.
    const LARGEST: f64 = 1e100;

    /// A space of these parameters.
    ///
    /// # Errors
    ///
    /// When a range makes no sense, or nothing is free.
    pub fn new(dimensions: Vec<Dimension>) -> Result<Self, SpaceError> {
        for dimension in &dimensions {
            dimension.check()?;
        }
        if !dimensions.iter().any(|one| matches!(one.gene, Gene::Free(_))) {
            return Err(SpaceError::NothingFree);
        }
        Ok(Self { dimensions })
    }

    /// A space in which all of these are free within their ranges.
    ///
    /// # Errors
    ///
    /// When a range makes no sense, or there are none.
    pub fn of(parameters: Vec<Parameter>) -> Result<Self, SpaceError> {
        let bounded = |parameter: Parameter| Dimension {
            gene: Gene::Free([parameter.min, parameter.max]),
            parameter: parameter.named(parameter.name.to_owned()),
            is_bounded: true,
            rate: None,
        };
        Self::new(parameters.into_iter().map(bounded).collect())
    }

    /// Refuses numbers so large that what is computed of them would not be finite.
    ///
    /// # Errors
    ///
    /// With the largest that makes sense.
    pub fn check_size(&self) -> Result<(), SpaceError> {
        let most = Self::LARGEST;
        for one in self.dimensions.iter().filter(|one| one.parameter.kind == Kind::Real) {
            if let Some(value) = one.numbers().iter().find(|value| value.abs() > most) {
                return Err(one
                    .error(&format_args!("{value:e}"), format!("give a number from -{most:e} to {most:e}")));
            }
        }
        Ok(())
    }

    /// The names of the free parameters, in the order of a genome.
    pub fn names(&self) -> Vec<String> {
        self.free().map(|(one, _)| one.parameter.name.clone()).collect()
    }

    /// A genome somewhere in the space.
    pub fn random(&self, rng: &mut Rng) -> Genome {
        self.free().map(|(_, [min, max])| min + (max - min) * rng.uniform()).collect()
    }

    /// The genome of all smallest numbers (0) or of all largest (1).
    pub fn corner(&self, end: usize) -> Genome {
        self.free().map(|(_, range)| range[end]).collect()
    }

    /// The smallest and largest number of each gene; infinite where it goes where it likes.
    pub fn bounds(&self) -> Vec<[f64; 2]> {
        let anywhere = [f64::NEG_INFINITY, f64::INFINITY];
        self.free().map(|(one, range)| if one.is_bounded { range } else { anywhere }).collect()
    }

    /// The step of each gene.
    pub fn steps(&self) -> Vec<f64> {
        self.free().map(|(one, _)| one.parameter.step).collect()
    }

    /// Bits that the whole numbers in the range of each gene take: 6 for those from 0 to 63.
    pub fn bits(&self) -> Vec<u32> {
        let bits = |steps: u64| (u64::BITS - steps.leading_zeros()).min(52);
        self.whole_steps().into_iter().map(bits).collect()
    }

    /// Whole numbers in the range of each gene after the first, at least one: 63 for those from 0 to 63.
    pub fn whole_steps(&self) -> Vec<u64> {
        self.ranges().into_iter().map(|[min, max]| ((max - min).ceil() as u64).max(1)).collect()
    }

    /// The genome of all defaults, the nearest in the ranges.
    pub fn defaults(&self) -> Genome {
        self.free().map(|(one, [min, max])| one.parameter.default.clamp(min, max)).collect()
    }

    /// The step of each gene, relative to the width of its coordinate; at most 1.
    pub fn relative_steps(&self) -> Vec<f64> {
        self.free().map(|(one, range)| (one.parameter.step / one.width(range)).min(1.0)).collect()
    }

    /// Where 0 is on the axis of the coordinate of each gene, in its range or not.
    pub fn zeros(&self) -> Vec<f64> {
        self.free().map(|(one, range)| one.coordinate(range, 0.0)).collect()
    }

    /// What 1 is of the coordinate of each gene that is a whole number.
    pub fn units(&self) -> Vec<Option<f64>> {
        let unit = |(one, range): (&Dimension, [f64; 2])| {
            (one.parameter.kind != Kind::Real).then(|| 1.0 / one.width(range))
        };
        self.free().map(unit).collect()
    }

    /// The learning rates of those genes that have their own.
    pub fn rates(&self) -> Vec<Option<f64>> {
        self.free().map(|(one, _)| one.rate).collect()
    }

    /// Gives a free parameter another default, and a step and a rate of its own where they are known.
    pub fn set_start(&mut self, name: &str, start: f64, step: Option<f64>, rate: Option<f64>) {
        if let Some(one) = self.dimensions.iter_mut().find(|one| one.parameter.name == name) {
            one.parameter.default = start;
            one.parameter.step = step.unwrap_or(one.parameter.step);
            one.rate = rate.or(one.rate);
        }
    }

    /// The free parameters, in the order of a genome.
    pub fn sought(&self) -> impl Iterator<Item = &Dimension> {
        self.free().map(|(one, _)| one)
    }

    /// The range that each gene begins in.
    pub fn ranges(&self) -> Vec<[f64; 2]> {
        self.free().map(|(_, range)| range).collect()
    }

    /// Where coordinates of this space are in another one of the same parameters.
    pub fn axis_changes(&self, other: &Self) -> Vec<AxisChange> {
        let both = self.free().zip(other.free());
        both.map(|((one, was), (other, now))| {
            let scale = one.width(was) / other.width(now);
            AxisChange { scale, shift: (was[0] - now[0]) / other.width(now) }
        })
        .collect()
    }

    /// Puts genes that have bounds back into them.
    pub fn confine(&self, genome: &mut [f64]) {
        for (gene, [min, max]) in genome.iter_mut().zip(self.bounds()) {
            *gene = gene.clamp(min, max);
        }
    }

    /// The genome of a point whose coordinates are from 0 to 1. Whole numbers have equal shares of their coordinate.
    pub fn at(&self, point: &[f64]) -> Genome {
        let gene = |((one, [min, max]), at): ((&Dimension, [f64; 2]), &f64)| match one.parameter.kind {
            Kind::Real => min + one.width([min, max]) * at,
            Kind::Integer | Kind::Flag => (min - 0.5 + one.width([min, max]) * at).clamp(min, max),
        };
        self.free().zip(point).map(gene).collect()
    }

    /// The point of a genome, the nearest in the ranges.
    pub fn point(&self, genome: &[f64]) -> Genome {
        let coordinate = |((one, range), gene): ((&Dimension, [f64; 2]), &f64)| {
            one.coordinate(range, *gene).clamp(0.0, 1.0)
        };
        self.free().zip(genome).map(coordinate).collect()
    }

    /// A genome whose whole numbers are whole: rounded up with a chance that is their fraction, so that they are right on
    /// average.
    pub fn round_randomly(&self, genome: &[f64], rng: &mut Rng) -> Genome {
        self.free()
            .zip(genome)
            .map(|((one, _), &gene)| match one.parameter.kind {
                Kind::Real => gene,
                Kind::Integer | Kind::Flag => {
                    gene.floor() + f64::from(u8::from(rng.uniform() < gene - gene.floor()))
                }
            })
            .collect()
    }

    /// Two genomes whose whole numbers are whole, each right on average: a number of both is rounded by the same draw, as
    /// floor(x + u), so that what is larger never becomes smaller, and a difference of 1 stays one.
    pub fn round_together(&self, genomes: [&[f64]; 2], rng: &mut Rng) -> [Genome; 2] {
        let draws: Vec<Option<f64>> =
            self.free().map(|(one, _)| (one.parameter.kind != Kind::Real).then(|| rng.uniform())).collect();
        let floor = |gene: f64, draw: f64, [min, max]: [f64; 2]| (gene + draw).floor().clamp(min, max);
        genomes.map(|genome| {
            let genes = self.ranges().into_iter().zip(&draws).zip(genome);
            genes.map(|((range, draw), &gene)| draw.map_or(gene, |draw| floor(gene, draw, range))).collect()
        })
    }

    /// The values of all parameters, the pinned ones too, by their names. Whole numbers are rounded to the nearest.
    ///
    /// # Panics
    ///
    /// When a genome is too short.
    pub fn values<'a>(&'a self, genome: &'a [f64]) -> impl Iterator<Item = (&'a str, f64)> {
        let mut genes = genome.iter();
        self.dimensions.iter().map(move |one| {
            let value = match one.gene {
                Gene::Pinned(value) => value,
                Gene::Free(range) => {
                    one.value(range, *genes.next().expect("a number for each free parameter"))
                }
            };
            (one.parameter.name.as_str(), value)
        })
    }

    /// A genome of the values that it stands for, whole numbers being whole.
    pub fn rounded(&self, genome: &[f64]) -> Genome {
        self.free().zip(genome).map(|((one, range), &gene)| one.value(range, gene)).collect()
    }

    /// The same, where numbers that differ from their defaults by no more than arithmetic does are the defaults.
    pub fn settled(&self, genome: &[f64]) -> Genome {
        const ARITHMETIC: f64 = 1e-12;
        let settle = |((value, default), (one, range)): ((f64, f64), (&Dimension, [f64; 2]))| {
            let is_default = (value - default).abs() <= ARITHMETIC * (one.width(range) + default.abs());
            if is_default { default } else { value }
        };
        self.rounded(genome).into_iter().zip(self.defaults()).zip(self.free()).map(settle).collect()
    }

    fn free(&self) -> impl Iterator<Item = (&Dimension, [f64; 2])> {
        self.dimensions.iter().filter_map(|one| match one.gene {
            Gene::Free(range) => Some((one, range)),
            Gene::Pinned(_) => None,
        })
    }
}

impl Dimension {
    /// The smallest and the largest number that it begins with.
    pub fn range(&self) -> [f64; 2] {
        match self.gene {
            Gene::Pinned(value) => [value; 2],
            Gene::Free(range) => range,
        }
    }

    fn check(&self) -> Result<(), SpaceError> {
        for &value in self.numbers() {
            if !value.is_finite() {
                return Err(self.error(&value, "give a finite number"));
            }
            if self.parameter.kind != Kind::Real && !self.parameter.takes(value) {
                return Err(self.error(&value, format!("give {}", self.parameter.wanted())));
            }
        }
        match self.gene {
            Gene::Free([min, max]) if min > max => {
                let way_out = format!("the smaller number comes first, as in [{max}, {min}]");
                Err(self.error(&format_args!("[{min}, {max}]"), way_out))
            }
            _ => Ok(()),
        }
    }

    /// How much of it a coordinate from 0 to 1 stands for: whole numbers have a share each.
    fn width(&self, [min, max]: [f64; 2]) -> f64 {
        match self.parameter.kind {
            Kind::Real => max - min,
            Kind::Integer | Kind::Flag => max - min + 1.0,
        }
    }

    /// Where a value is on the axis of the coordinate.
    fn coordinate(&self, [min, max]: [f64; 2], value: f64) -> f64 {
        let at = match self.parameter.kind {
            Kind::Real => (value - min) / self.width([min, max]),
            Kind::Integer | Kind::Flag => (value - min + 0.5) / self.width([min, max]),
        };
        if at.is_finite() { at } else { 0.5 }
    }

    /// The number that it keeps, or both ends of its range.
    fn numbers(&self) -> &[f64] {
        match &self.gene {
            Gene::Pinned(value) => std::slice::from_ref(value),
            Gene::Free(range) => range,
        }
    }

    fn error(&self, value: &dyn fmt::Display, way_out: impl Into<String>) -> SpaceError {
        let name = self.parameter.name.clone();
        SpaceError::Value { name, value: value.to_string(), way_out: way_out.into() }
    }

    /// What a gene stands for: the one place where numbers are rounded.
    fn value(&self, [min, max]: [f64; 2], gene: f64) -> f64 {
        match self.parameter.kind {
            Kind::Real => gene,
            Kind::Integer | Kind::Flag => gene.round().clamp(min, max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dimension(kind: Kind, name: &str, gene: Gene) -> Dimension {
        let parameter = Parameter::new(kind, "", [0.0, 10.0], 1.0, "").named(name.to_owned());
        Dimension { parameter, gene, is_bounded: kind != Kind::Real, rate: None }
    }

    fn space(genes: &[(&str, Gene)]) -> Result<Space, SpaceError> {
        Space::new(genes.iter().map(|&(name, gene)| dimension(Kind::Real, name, gene)).collect())
    }

    #[test]
    fn pinned_parameters_are_no_part_of_a_genome() {
        let space = space(&[
            ("pawn", Gene::Free([0.0, 12.0])),
            ("king", Gene::Pinned(4.0)),
            ("rook", Gene::Free([5.0, 5.0])),
        ])
        .unwrap();
        assert_eq!(space.names(), ["pawn", "rook"]);
        let mut rng = Rng::new(1);
        let population: Vec<Genome> = (0..100).map(|_| space.random(&mut rng)).collect();
        assert!(population.iter().all(|genome| (0.0..12.0).contains(&genome[0]) && genome[1] == 5.0));
        assert!(
            population.iter().any(|genome| genome[0] < 3.0)
                && population.iter().any(|genome| genome[0] > 9.0)
        );
        let values: Vec<_> = space.values(&[1.0, 2.0]).collect();
        assert_eq!(values, [("pawn", 1.0), ("king", 4.0), ("rook", 2.0)]);
        assert_eq!(space.bounds(), [[f64::NEG_INFINITY, f64::INFINITY]; 2]);
        assert_eq!(space.point(&[6.0, 5.0]), [0.5, 0.5]);
    }

    #[test]
    fn ranges_must_make_sense() {
        let error = |name, gene| space(&[(name, gene)]).unwrap_err().to_string();
        assert_eq!(
            error("pawn", Gene::Free([3.0, 1.0])),
            "pawn: [3, 1]: the smaller number comes first, as in [1, 3]"
        );
        assert_eq!(error("pawn", Gene::Free([0.0, f64::INFINITY])), "pawn: inf: give a finite number");
        assert_eq!(error("pawn", Gene::Pinned(f64::NAN)), "pawn: NaN: give a finite number");
        assert!(error("pawn", Gene::Pinned(1.0)).starts_with("every parameter is pinned"));
        let whole = |gene| Space::new(vec![dimension(Kind::Integer, "depth", gene)]).unwrap_err().to_string();
        assert_eq!(whole(Gene::Free([0.5, 2.0])), "depth: 0.5: give a whole number from 0 to 10");
        assert_eq!(whole(Gene::Free([1.0, 11.0])), "depth: 11: give a whole number from 0 to 10");
        let large = |most| space(&[("pawn", Gene::Free([0.0, most]))]).unwrap().check_size();
        assert_eq!(large(1e100), Ok(()));
        assert_eq!(large(1e300).unwrap_err().to_string(), "pawn: 1e300: give a number from -1e100 to 1e100");
    }

    #[test]
    fn whole_numbers_have_equal_shares_and_stay_in_their_range() {
        let space = Space::new(vec![dimension(Kind::Integer, "depth", Gene::Free([1.0, 4.0]))]).unwrap();
        let mut counts = [0; 5];
        for step in 0..=1000 {
            let genome = space.at(&[f64::from(step) / 1000.0]);
            let value = space.values(&genome).next().unwrap().1;
            assert_eq!(space.rounded(&genome), [value]);
            counts[value as usize] += 1;
        }
        assert!(counts[0] == 0 && counts[1..].iter().all(|count| (249..=252).contains(count)), "{counts:?}");
        assert_eq!(space.values(&[17.0]).next().unwrap().1, 4.0);
        for whole in 1..=4 {
            let genome = [f64::from(whole)];
            assert_eq!(space.rounded(&space.at(&space.point(&genome))), genome);
        }
    }

    #[test]
    fn numbers_that_are_rounded_randomly_are_right_on_average_and_repeat_with_a_seed() {
        let space = Space::new(vec![dimension(Kind::Integer, "depth", Gene::Free([1.0, 4.0]))]).unwrap();
        let draw = |seed| space.round_randomly(&[2.3], &mut Rng::new(seed))[0];
        let mean = (0..10_000).map(draw).sum::<f64>() / 10_000.0;
        assert!((mean - 2.3).abs() < 0.02, "{mean}");
        assert!((0..100).all(|seed| draw(seed) == draw(seed) && [2.0, 3.0].contains(&draw(seed))));
    }

    #[test]
    fn numbers_that_did_not_move_are_their_defaults() {
        let mut space =
            Space::new(vec![dimension(Kind::Real, "pawn", Gene::Free([-7000.0, 11_000.0]))]).unwrap();
        space.set_start("pawn", 3200.0, None, None);
        assert_eq!(space.settled(&[3_199.999_999_999_999_5]), [3200.0]);
        assert_eq!(space.settled(&[3_199.999_999]), [3_199.999_999]);
    }

    #[test]
    fn numbers_that_are_rounded_together_share_their_draw() {
        let space = Space::new(vec![
            dimension(Kind::Integer, "depth", Gene::Free([1.0, 4.0])),
            dimension(Kind::Real, "pawn", Gene::Free([0.0, 1.0])),
        ])
        .unwrap();
        let (count, mut rng, mut sums) = (10_000, Rng::new(3), [0.0; 2]);
        for _ in 0..count {
            let [above, below] = space.round_together([&[3.3, 0.7], &[2.3, 0.2]], &mut rng);
            assert_eq!((above[0] - below[0], above[1], below[1]), (1.0, 0.7, 0.2));
            sums = [sums[0] + above[0], sums[1] + below[0]];
        }
        let means = sums.map(|sum| sum / f64::from(count));
        assert!((means[0] - 3.3).abs() < 0.02 && (means[1] - 2.3).abs() < 0.02, "{means:?}");
        assert_eq!(space.round_together([&[4.0, 0.0], &[1.0, 0.0]], &mut rng), [[4.0, 0.0], [1.0, 0.0]]);
    }

    #[test]
    fn steps_and_units_are_relative_to_the_range() {
        let mut genes = vec![
            dimension(Kind::Integer, "depth", Gene::Free([1.0, 4.0])),
            dimension(Kind::Real, "pawn", Gene::Free([0.0, 8.0])),
        ];
        (genes[0].parameter.step, genes[1].parameter.step, genes[1].rate) = (2.0, 2.0, Some(0.01));
        genes[1].parameter.default = 9.0;
        let space = Space::new(genes).unwrap();
        assert_eq!(space.relative_steps(), [0.5, 0.25]);
        assert_eq!(space.units(), [Some(0.25), None]);
        assert_eq!(space.zeros(), [-0.125, 0.0]);
        assert_eq!(space.rates(), [None, Some(0.01)]);
        assert_eq!(space.defaults(), [1.0, 8.0]);
    }
}
