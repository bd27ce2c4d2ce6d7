/// Declares the table `WEIGHTS` of a model and, for each weight, a constant with its index.
///
/// A line is the constant, the name in player files, the default, and what is multiplied.
macro_rules! weights {
    ($($kind:ident $range:expr => { $($index:ident $name:literal $default:literal $about:literal)* })*) => {
        const WEIGHTS: &[gamete_game::Parameter] =
            &[$($(gamete_game::Parameter::$kind($name, $range, $default, $about),)*)*];

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index {
            $($($index,)*)*
        }

        $($(const $index: usize = Index::$index as usize;)*)*
    };
}

pub(super) use weights;
