/// Weights for the same piece on each of some squares, one after the other.
macro_rules! on_squares {
    ($range:expr => { $($name:literal $about:literal $default:literal [$($square:literal)*])* }) => {
        &[$($(
            gamete_game::Parameter::real(
                concat!($name, "_", $square),
                $range,
                $default,
                concat!($about, " on square ", $square),
            ),
        )*)*]
    };
}

pub(super) use on_squares;

pub(super) fn mean(weights: &[i32]) -> i32 {
    let sum: i64 = weights.iter().map(|&weight| i64::from(weight)).sum();
    (sum / weights.len() as i64) as i32
}
