use crate::{Game, Model, Parameter};

/// The models of a game, as a tuple of their types: `(Material, Squares)`.
///
/// Whatever there is to know of a model or to make of it comes from this one list.
pub trait ModelList<G: Game> {
    /// What there is to know of each, in order.
    const FACTS: &'static [ModelFacts];

    /// Calls `visitor` with the type of the model that has this index in [`FACTS`](Self::FACTS).
    fn visit<V: ModelVisitor<G>>(index: usize, visitor: V) -> Option<V::Output>;
}

/// What is done with a model once its type is known.
pub trait ModelVisitor<G: Game> {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<M: Model<G>>(self) -> Self::Output;
}

/// What there is to know of a model without its type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelFacts {
    /// [`Model::NAME`].
    pub name: &'static str,
    /// [`Model::ABOUT`].
    pub about: &'static str,
    /// [`Model::WEIGHTS`].
    pub weights: &'static [Parameter],
    /// [`Model::SCALE`].
    pub scale: f64,
    /// [`Model::DIVISOR`].
    pub divisor: i32,
}

impl ModelFacts {
    /// The facts of `M`.
    pub const fn of<G: Game, M: Model<G>>() -> Self {
        Self { name: M::NAME, about: M::ABOUT, weights: M::WEIGHTS, scale: M::SCALE, divisor: M::DIVISOR }
    }
}

macro_rules! model_lists {
    ($($($model:ident $index:literal)*;)*) => {$(
        impl<G: Game, $($model: Model<G>),*> ModelList<G> for ($($model,)*) {
            const FACTS: &'static [ModelFacts] = &[$(ModelFacts::of::<G, $model>()),*];

            fn visit<Visitor: ModelVisitor<G>>(index: usize, visitor: Visitor) -> Option<Visitor::Output> {
                match index {
                    $($index => Some(visitor.visit::<$model>()),)*
                    _ => None,
                }
            }
        }
    )*};
}

model_lists! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 H 6;
    A 0 B 1 C 2 D 3 E 4 F 5 H 6 I 7;
}
