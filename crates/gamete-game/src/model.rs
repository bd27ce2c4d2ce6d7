use std::marker::PhantomData;

use crate::parameter::Parameter;
use crate::{Color, Game, PieceValues, Score, Tactics};

/// A family of evaluation functions: a list of weights, and what each multiplies.
///
/// The value of a position for White is the sum of weight times feature, where a feature is White's count minus
/// Black's. [`accumulate`](Self::accumulate) is written once and runs with any [`Terms`]: adding up a score when
/// playing, collecting the [`Features`] when learning. So the two can never disagree.
pub trait Model<G: Game>: Send + Sync + 'static {
    /// The name by which users choose the model, `chess/material`.
    const NAME: &'static str;

    /// What the model is, in a line.
    const ABOUT: &'static str;

    /// The weights, in the order of their indices.
    const WEIGHTS: &'static [Parameter];

    /// Thousandths of a pawn that one unit of weight is worth.
    const SCALE: f64;

    /// What sums are divided by, for features that are fractions of it.
    const DIVISOR: i32 = 1;

    /// Names every feature of the position that is not zero.
    fn accumulate(position: &G, terms: &mut impl Terms);

    /// Whether [`accumulate_move`](Self::accumulate_move) is quicker than accumulating afresh.
    const INCREMENTAL: bool = false;

    /// Names every feature that a legal move changes, and by how much.
    #[inline]
    fn accumulate_move(position: &G, mv: G::Move, terms: &mut impl Terms) {
        let mut next = position.clone();
        next.play(mv);
        Self::accumulate(&next, terms);
        Self::accumulate(position, &mut Negated(terms));
    }

    /// Calls `f` with quiet moves: if with any, then with one for each change of features that a quiet move can make.
    fn for_each_quiet_change(f: impl FnMut(&G, G::Move)) {
        let _ = f;
    }

    /// What a piece of this kind is worth by these weights, in thousandths of a pawn, if the model can say.
    fn piece_value(weights: &[i32], kind: usize) -> Option<i32> {
        let _ = (weights, kind);
        None
    }
}

/// What an evaluation runs with: something that is told each feature.
pub trait Terms {
    /// Adds `count`, White's minus Black's, to the feature of a weight.
    fn add(&mut self, weight: usize, count: i32);
}

/// Takes away what it is told.
struct Negated<'a, T>(&'a mut T);

impl<T: Terms> Terms for Negated<'_, T> {
    #[inline]
    fn add(&mut self, weight: usize, count: i32) {
        self.0.add(weight, -count);
    }
}

/// Says what a position is worth to the side to move.
///
/// A search may evaluate a position by the moves that led to it: it carries a total from one to the next, and asks
/// for [`evaluate_total`](Self::evaluate_total). An evaluator that has no use for totals leaves them alone.
pub trait Evaluator<G: Game>: Send + Sync {
    /// The value of the position to the side to move, the game not being over.
    fn evaluate(&self, position: &G) -> Score;

    /// The total to start with.
    #[inline]
    fn total(&self, position: &G) -> i64 {
        let _ = position;
        0
    }

    /// The total after a legal move in a position that has this one.
    #[inline(always)]
    fn total_after(&self, total: i64, position: &G, mv: G::Move) -> i64 {
        let _ = (position, mv);
        total
    }

    /// What [`evaluate`](Self::evaluate) says of a position with this total.
    #[inline(always)]
    fn evaluate_total(&self, total: i64, position: &G) -> Score {
        let _ = total;
        self.evaluate(position)
    }

    /// The least and the most that a quiet move in a position with this total is worth to whoever plays it, the game
    /// going on, if that can be said without looking at moves.
    #[inline]
    fn quiet_bounds(&self, total: i64, position: &G) -> Option<[Score; 2]> {
        let _ = (total, position);
        None
    }

    /// A random number of the position. Of moves that a search finds equally good, the one to the position with the
    /// largest is played, or the first that was found if there are no such numbers.
    #[inline]
    fn lot(&self, position: &G) -> Option<u64> {
        let _ = position;
        None
    }
}

/// A model with its weights: an evaluation that can play.
#[derive(Debug)]
pub struct Linear<G, M> {
    weights: Box<[i32]>,
    /// The least and the most that a quiet move adds to the sum of the side that plays it, if that is known.
    quiet_swing: Option<[i64; 2]>,
    model: PhantomData<fn(G) -> M>,
}

impl<G: Game, M: Model<G>> Linear<G, M> {
    /// The model with these weights, one for each of [`Model::WEIGHTS`].
    ///
    /// They are rounded as by [`whole_weights`].
    ///
    /// # Panics
    ///
    /// When there are more or fewer.
    pub fn new(weights: &[f64]) -> Self {
        assert_eq!(weights.len(), M::WEIGHTS.len(), "a value for each weight of {}", M::NAME);
        let weights = whole_weights(weights, M::SCALE).into_boxed_slice();
        let mut linear = Self { weights, quiet_swing: None, model: PhantomData };
        linear.quiet_swing = linear.find_quiet_swing();
        linear
    }

    /// The weights as they are multiplied, in thousandths of a pawn.
    pub fn weights(&self) -> &[i32] {
        &self.weights
    }

    /// The value of a position for White, in thousandths of a pawn.
    #[inline]
    pub fn value(&self, position: &G) -> i32 {
        let mut sum = self.sum_from(0);
        M::accumulate(position, &mut sum);
        let value = sum.total / i64::from(M::DIVISOR);
        value.clamp(-i64::from(i32::MAX), i64::from(i32::MAX)) as i32
    }

    fn find_quiet_swing(&self) -> Option<[i64; 2]> {
        let mut swing: Option<[i64; 2]> = None;
        M::for_each_quiet_change(|position, mv| {
            let mut sum = self.sum_from(0);
            M::accumulate_move(position, mv, &mut sum);
            let gain = seen_by(position.turn(), sum.total);
            let [least, most] = swing.unwrap_or([gain, gain]);
            swing = Some([least.min(gain), most.max(gain)]);
        });
        swing
    }

    #[inline]
    fn sum_from(&self, total: i64) -> Sum<'_> {
        // A length known when compiling spares a check of bounds for each term.
        Sum { weights: &self.weights[..M::WEIGHTS.len()], total }
    }

    /// What each feature that is not zero contributes to the value for White.
    pub fn contributions(&self, position: &G) -> Vec<Contribution> {
        let features = Features::of::<G, M>(position);
        let named = M::WEIGHTS.iter().zip(&self.weights).zip(&features.0);
        named
            .filter(|&(_, &count)| count != 0)
            .map(|((weight, &value), &count)| Contribution {
                name: weight.name,
                count: f64::from(count) / f64::from(M::DIVISOR),
                millipawns: f64::from(value) * f64::from(count) / f64::from(M::DIVISOR),
            })
            .collect()
    }
}

impl<G: Game, M: Model<G>> Default for Linear<G, M> {
    fn default() -> Self {
        let defaults: Vec<_> = M::WEIGHTS.iter().map(|weight| weight.default).collect();
        Self::new(&defaults)
    }
}

impl<G: Game, M: Model<G>> Evaluator<G> for Linear<G, M> {
    #[inline]
    fn evaluate(&self, position: &G) -> Score {
        Score::saturating(seen_by(position.turn(), self.value(position).into()))
    }

    #[inline]
    fn total(&self, position: &G) -> i64 {
        if !M::INCREMENTAL {
            return 0;
        }
        let mut sum = self.sum_from(0);
        M::accumulate(position, &mut sum);
        sum.total
    }

    #[inline(always)]
    fn total_after(&self, total: i64, position: &G, mv: G::Move) -> i64 {
        if !M::INCREMENTAL {
            return total;
        }
        let mut sum = self.sum_from(total);
        M::accumulate_move(position, mv, &mut sum);
        sum.total
    }

    #[inline(always)]
    fn evaluate_total(&self, total: i64, position: &G) -> Score {
        if M::INCREMENTAL {
            Score::saturating(seen_by(position.turn(), total / i64::from(M::DIVISOR)))
        } else {
            self.evaluate(position)
        }
    }

    #[inline]
    fn quiet_bounds(&self, total: i64, position: &G) -> Option<[Score; 2]> {
        let sum = seen_by(position.turn(), total);
        let after = |swing| Score::saturating((sum + swing) / i64::from(M::DIVISOR));
        self.quiet_swing.filter(|_| M::INCREMENTAL).map(|swing| swing.map(after))
    }
}

/// A value for White as the side to move sees it.
#[inline]
fn seen_by(turn: Color, value: i64) -> i64 {
    match turn {
        Color::White => value,
        Color::Black => -value,
    }
}

impl<G: Tactics, M: Model<G>> PieceValues<G> for Linear<G, M> {
    fn piece_value(&self, kind: usize) -> i32 {
        M::piece_value(&self.weights, kind).unwrap_or(G::PIECE_VALUES[kind])
    }
}

/// One term of an evaluation, for people to read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contribution {
    /// The name of the weight.
    pub name: &'static str,
    /// White's count minus Black's.
    pub count: f64,
    /// What that is worth to White, in thousandths of a pawn.
    pub millipawns: f64,
}

/// Weights as they are multiplied: rounded to thousandths of a pawn, of which one unit is worth `scale`. What evolution
/// drives beyond two million pawns stays there.
pub fn whole_weights(weights: &[f64], scale: f64) -> Vec<i32> {
    weights.iter().map(|weight| (weight * scale).round().clamp(-LARGEST, LARGEST) as i32).collect()
}

/// Two million pawns, in thousandths.
const LARGEST: f64 = 2e9;

/// Adds up in 64 bits, where not even the largest weights overflow.
struct Sum<'a> {
    weights: &'a [i32],
    total: i64,
}

impl Terms for Sum<'_> {
    #[inline]
    fn add(&mut self, weight: usize, count: i32) {
        self.total += i64::from(self.weights[weight]) * i64::from(count);
    }
}

/// The features of a position, one for each weight of a model, in units of its [`Model::DIVISOR`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Features(pub Vec<i32>);

impl Features {
    /// The features of `position` under model `M`.
    pub fn of<G: Game, M: Model<G>>(position: &G) -> Self {
        let mut features = Self(vec![0; M::WEIGHTS.len()]);
        M::accumulate(position, &mut features);
        features
    }
}

impl Terms for Features {
    #[inline]
    fn add(&mut self, weight: usize, count: i32) {
        self.0[weight] += count;
    }
}
