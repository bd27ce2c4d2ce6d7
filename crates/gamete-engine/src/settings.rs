use std::fmt;

use gamete_game::{Kind, Parameter};

/// A field of [`SearchSettings`] by its name.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its name, kind, range, meaning, and its value in [`SearchSettings::full`].
    pub parameter: Parameter,
    get: fn(&SearchSettings) -> i32,
    set: fn(&mut SearchSettings, i32),
}

/// What is searched beyond the nominal depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quiescence {
    /// Nothing.
    Off,
    /// Captures and promotions, or none of them, up to a number of plies.
    Captures,
    /// All moves while there is a capture, up to a number of plies.
    ExtraPlies,
    /// Captures and promotions that lose nothing, or none of them, without limit; and every answer to what forces one.
    Modern,
}

trait Value: Copy {
    const KIND: Kind;
    fn to_number(self) -> i32;
    fn from_number(number: i32) -> Self;
}

impl Value for bool {
    const KIND: Kind = Kind::Flag;

    fn to_number(self) -> i32 {
        self.into()
    }

    fn from_number(number: i32) -> Self {
        number != 0
    }
}

impl Value for i32 {
    const KIND: Kind = Kind::Integer;

    fn to_number(self) -> i32 {
        self
    }

    fn from_number(number: i32) -> Self {
        number
    }
}

impl Value for Quiescence {
    const KIND: Kind = Kind::Integer;

    fn to_number(self) -> i32 {
        self as i32
    }

    fn from_number(number: i32) -> Self {
        match number {
            0 => Self::Off,
            1 => Self::Captures,
            2 => Self::ExtraPlies,
            _ => Self::Modern,
        }
    }
}

macro_rules! settings {
    ($($name:ident: $type:ty = $default:expr, $min:literal..=$max:literal, $about:literal;)*) => {
        /// Which techniques a search uses, and their numbers.
        ///
        /// [`SETTINGS`](Self::SETTINGS) lists the fields for everything that sets them by name. Depths are
        /// in plies, extensions in quarters of a ply, margins in hundredths of a pawn.
        #[derive(Clone, PartialEq, Eq)]
        pub struct SearchSettings {
            $(#[doc = $about] pub $name: $type,)*
        }

        impl SearchSettings {
            /// Every field.
            pub const SETTINGS: &'static [Setting] = &[$(Setting {
                parameter: Parameter::new(
                    <$type as Value>::KIND,
                    stringify!($name),
                    [$min as f64, $max as f64],
                    $default as i32 as f64,
                    $about,
                ),
                get: |settings| settings.$name.to_number(),
                set: |settings, number| settings.$name = Value::from_number(number),
            },)*];

            /// Everything that makes the player stronger.
            pub const fn full() -> Self {
                Self { $($name: $default,)* }
            }
        }
    };
}

settings! {
    alpha_beta: bool = true, 0..=1, "Leave out what cannot change the result";
    iterative_deepening: bool = true, 0..=1, "Search to depth 1, 2, 3 and so on, even if told the depth";
    repetition: bool = true, 0..=1, "Count repeated positions as draws";
    mate_distance: bool = true, 0..=1, "Stop looking for slower wins than the one found";
    table: bool = true, 0..=1, "Remember positions in a transposition table";
    table_equal_depth: bool = false, 0..=1, "Use what is remembered only at exactly the depth it was found with";
    own_weights: bool = true, 0..=1, "Order moves by what the player itself thinks pieces are worth";
    mvv_lva: bool = true, 0..=1, "Order captures by victim, then attacker";
    see_ordering: bool = true, 0..=1, "Try captures that lose material last";
    history: bool = true, 0..=1, "Order quiet moves by how often they were good elsewhere";
    continuation_history: bool = true, 0..=1, "Order quiet moves by how often they were good after the move before";
    killers: bool = true, 0..=1, "Try quiet moves first that were good at the same ply";
    counter_moves: bool = true, 0..=1, "Try the quiet move first that refuted the move before";
    pvs: bool = true, 0..=1, "Search later moves with an empty window first";
    aspiration: i32 = 20, 0..=1000, "Half the first window around the last score, 0 for none";
    quiescence: Quiescence = Quiescence::Modern, 0..=3, "Beyond the nominal depth: 0 nothing, 1 captures, 2 extra plies, 3 modern";
    quiescence_plies: i32 = 127, 0..=127, "Plies beyond the nominal depth, unless modern";
    quiescence_table: i32 = 2, 0..=2, "Remember positions beyond the nominal depth, if modern: 0 none, 1 the first of a line, 2 all";
    quiescence_see: bool = true, 0..=1, "Leave out captures that lose material beyond the nominal depth";
    quiescence_margin: i32 = 150, 0..=1023, "Leave out captures that cannot bring the score up by more than this, 0 for none";
    null_move: bool = true, 0..=1, "Cut off where even passing is good enough";
    null_move_reduction: i32 = 3, 0..=7, "Plies less after passing";
    null_move_adaptive: bool = false, 0..=1, "One ply less of that reduction near the horizon";
    null_move_adaptive_depth: i32 = 6, 0..=7, "The largest depth that is near the horizon";
    null_move_above_beta: bool = true, 0..=1, "Pass only where the evaluation is good enough";
    null_move_growth: i32 = 3, 0..=15, "One more ply of reduction for so many of depth, 0 for none";
    futility_depth: i32 = 3, 0..=3, "The largest depth at which hopeless quiet moves are left out";
    futility_1: i32 = 150, 0..=1023, "What a quiet move can gain at depth 1";
    futility_2: i32 = 250, 0..=1023, "What a quiet move can gain at depth 2";
    futility_3: i32 = 350, 0..=1023, "What a quiet move can gain at depth 3";
    multi_cut: bool = false, 0..=1, "Cut off where several moves look good enough";
    multi_cut_reduction: i32 = 4, 0..=7, "Plies less to see whether a move looks good enough";
    multi_cut_depth: i32 = 6, 0..=7, "The smallest depth to look for several moves";
    multi_cut_moves: i32 = 15, 0..=31, "How many moves to look at";
    multi_cut_cuts: i32 = 3, 0..=7, "How many must look good enough, 0 for never";
    check_extension: i32 = 4, 0..=4, "For a move that must be answered: a check, or an offered jump";
    one_reply_extension: i32 = 2, 0..=4, "For the only answer";
    recapture_extension: i32 = 0, 0..=4, "For taking back";
    passed_pawn_extension: i32 = 2, 0..=4, "For a pawn that reaches the last rank but one";
    mate_threat_extension: i32 = 0, 0..=4, "For all moves where passing loses by force";
    reverse_futility_depth: i32 = 7, 0..=15, "The largest depth at which a good evaluation is enough, 0 for none";
    reverse_futility_margin: i32 = 90, 0..=1023, "How good per ply of depth";
    razoring_depth: i32 = 0, 0..=7, "The largest depth at which a hopeless evaluation is enough, 0 for none";
    razoring_margin: i32 = 250, 0..=1023, "How hopeless per ply of depth";
    internal_reduction_depth: i32 = 4, 0..=15, "Search a ply less from this depth on if there is no move to try first, 0 for never";
    late_move_reductions: bool = true, 0..=1, "Search late quiet moves to less depth first";
    late_move_base: i32 = 50, 0..=400, "The least reduction, in hundredths of a ply";
    late_move_divisor: i32 = 225, 100..=1000, "Hundredths by which the logarithms of depth and move number are divided";
    late_move_history: bool = true, 0..=1, "Reduce moves less that were good elsewhere";
    late_move_pruning_depth: i32 = 6, 0..=15, "The largest depth at which the last quiet moves are left out, 0 for none";
    late_move_pruning_base: i32 = 3, 0..=31, "Quiet moves that are tried whatever the depth";
    see_pruning_depth: i32 = 6, 0..=15, "The largest depth at which moves that lose material are left out, 0 for none";
    see_pruning_capture: i32 = 100, 0..=1023, "What a capture may lose per ply of depth";
    see_pruning_quiet: i32 = 60, 0..=1023, "What a quiet move may lose per ply of depth";
    improving: bool = true, 0..=1, "Be bolder where the evaluation has gone up since the last move";
}

impl SearchSettings {
    /// The names of the presets.
    pub const PRESETS: &'static [&'static str] = &["minimax", "paper", "classic", "full"];

    /// The settings of a preset.
    pub fn preset(name: &str) -> Option<Self> {
        match name {
            "minimax" => Some(Self::minimax()),
            "paper" => Some(Self::paper()),
            "classic" => Some(Self::classic()),
            "full" => Some(Self::full()),
            _ => None,
        }
    }

    /// The whole tree to the nominal depth, in the order of the move generator.
    pub const fn minimax() -> Self {
        Self {
            alpha_beta: false,
            iterative_deepening: false,
            repetition: false,
            mate_distance: false,
            table: false,
            table_equal_depth: true,
            own_weights: false,
            mvv_lva: false,
            see_ordering: false,
            history: false,
            continuation_history: false,
            killers: false,
            counter_moves: false,
            pvs: false,
            aspiration: 0,
            quiescence: Quiescence::Off,
            quiescence_plies: 0,
            quiescence_table: 0,
            quiescence_see: false,
            quiescence_margin: 0,
            null_move: false,
            futility_depth: 0,
            check_extension: 0,
            one_reply_extension: 0,
            recapture_extension: 0,
            passed_pawn_extension: 0,
            mate_threat_extension: 0,
            reverse_futility_depth: 0,
            razoring_depth: 0,
            internal_reduction_depth: 0,
            late_move_reductions: false,
            late_move_history: false,
            late_move_pruning_depth: 0,
            see_pruning_depth: 0,
            improving: false,
            ..Self::full()
        }
    }

    /// A search after the MIT report on mutation parameters: alpha-beta with a table and ordering by own weights, then
    /// captures and promotions for three plies more. The report's own words are [`Quiescence::ExtraPlies`].
    pub const fn paper() -> Self {
        Self {
            alpha_beta: true,
            repetition: true,
            table: true,
            table_equal_depth: false,
            own_weights: true,
            quiescence: Quiescence::Captures,
            quiescence_plies: 3,
            ..Self::minimax()
        }
    }

    /// Selective search with the values that David et al. evolved.
    pub const fn classic() -> Self {
        Self {
            null_move: true,
            null_move_reduction: 4,
            null_move_adaptive: true,
            null_move_adaptive_depth: 6,
            null_move_above_beta: false,
            null_move_growth: 0,
            futility_depth: 3,
            futility_1: 112,
            futility_2: 227,
            futility_3: 506,
            multi_cut: true,
            multi_cut_reduction: 4,
            multi_cut_depth: 6,
            multi_cut_moves: 15,
            multi_cut_cuts: 3,
            check_extension: 4,
            one_reply_extension: 4,
            recapture_extension: 2,
            passed_pawn_extension: 3,
            mate_threat_extension: 2,
            aspiration: 0,
            quiescence_margin: 0,
            reverse_futility_depth: 0,
            razoring_depth: 0,
            internal_reduction_depth: 0,
            late_move_reductions: false,
            late_move_history: false,
            late_move_pruning_depth: 0,
            see_pruning_depth: 0,
            improving: false,
            continuation_history: false,
            ..Self::full()
        }
    }

    /// The same settings without what may overlook a move: for finding every forced win within a depth.
    #[must_use]
    pub fn exhaustive(&self) -> Self {
        Self {
            null_move: false,
            futility_depth: 0,
            multi_cut: false,
            reverse_futility_depth: 0,
            razoring_depth: 0,
            internal_reduction_depth: 0,
            late_move_reductions: false,
            late_move_pruning_depth: 0,
            see_pruning_depth: 0,
            ..self.clone()
        }
    }

    /// The field with this name.
    pub fn setting(name: &str) -> Option<&'static Setting> {
        Self::SETTINGS.iter().find(|setting| setting.parameter.name == name)
    }
}

impl Setting {
    /// The value in `settings`; flags are 0 or 1.
    pub fn get(&self, settings: &SearchSettings) -> i32 {
        (self.get)(settings)
    }

    /// Changes the value in `settings` if it can have it; says whether it can.
    #[must_use]
    pub fn set(&self, settings: &mut SearchSettings, value: f64) -> bool {
        let takes = self.parameter.takes(value);
        if takes {
            (self.set)(settings, value as i32);
        }
        takes
    }
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self::full()
    }
}

/// Only what differs from [`SearchSettings::minimax`].
impl fmt::Debug for SearchSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minimax = Self::minimax();
        let mut fields = f.debug_struct("SearchSettings");
        for setting in Self::SETTINGS {
            if setting.get(self) != setting.get(&minimax) {
                fields.field(setting.parameter.name, &setting.get(self));
            }
        }
        fields.finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_within_the_ranges() {
        for name in SearchSettings::PRESETS {
            let settings = SearchSettings::preset(name).expect("a preset");
            let mut copy = SearchSettings::full();
            for setting in SearchSettings::SETTINGS {
                let value = setting.get(&settings);
                assert!(setting.set(&mut copy, value.into()), "{}", setting.parameter.name);
                assert_eq!(setting.get(&copy), value);
            }
            assert_eq!(copy, settings);
        }
    }

    #[test]
    fn what_is_wrong_is_refused() {
        let mut settings = SearchSettings::default();
        assert!(SearchSettings::setting("nul_move").is_none());
        let null_move = SearchSettings::setting("null_move").expect("a setting");
        assert!(!null_move.set(&mut settings, 2.0) && !null_move.set(&mut settings, 0.5));
        assert_eq!(settings, SearchSettings::full());
    }
}
