/// Weights for the same piece on each of some squares, one after the other.
macro_rules! on_squares {
    ($range:expr => { $($name:literal $about:literal $default:literal [$($square:literal)*])* }) => {
        &[$($(
            gamete_game::Weight::real(
                concat!($name, "_", $square),
                $range,
                $default,
                concat!($about, " on square ", $square),
            ),
        )*)*]
    };
}

pub(super) use on_squares;
