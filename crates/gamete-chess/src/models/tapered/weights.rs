//! The weights of the model, each with its name, default and what it multiplies; and where each group of them begins.

use gamete_game::{Parameter, Terms};

/// The phase of a full board: a minor piece counts 1, a rook 2, a queen 4.
pub(super) const FULL: i32 = 24;

/// Centipawns that a weight may be worth, for or against.
const RANGE: [f64; 2] = [-200.0, 200.0];

/// Two weights: one for the middlegame, one for the endgame, and in between some of both.
#[derive(Clone, Copy)]
pub(super) struct Tapered(usize);

/// A weight that counts as much as the middlegame lasts.
#[derive(Clone, Copy)]
pub(super) struct Middlegame(usize);

/// A weight that counts as much as the endgame has come.
#[derive(Clone, Copy)]
pub(super) struct Endgame(usize);

/// A weight that is the same in all phases.
#[derive(Clone, Copy)]
pub(super) struct Constant(usize);

/// Weights for something on each square, rank or number, in the middlegame and in the endgame.
#[derive(Clone, Copy)]
pub(super) struct Table {
    middlegame: usize,
    endgame: usize,
}

impl Table {
    /// The weights of an entry.
    #[inline]
    pub(super) const fn at(self, entry: usize) -> Entry {
        Entry { middlegame: self.middlegame + entry, endgame: self.endgame + entry }
    }
}

/// The two weights of an entry of a table.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    middlegame: usize,
    endgame: usize,
}

impl Middlegame {
    /// The weight so many places further.
    #[inline]
    pub(super) const fn plus(self, places: usize) -> Self {
        Self(self.0 + places)
    }
}

impl Constant {
    /// The weight so many places further.
    #[inline]
    pub(super) const fn plus(self, places: usize) -> Self {
        Self(self.0 + places)
    }
}

/// What is counted for one side.
pub(super) struct Tally<'a, T> {
    terms: &'a mut T,
    middlegame: i32,
    endgame: i32,
    whole: i32,
}

impl<'a, T: Terms> Tally<'a, T> {
    /// For White with `sign` 1 and for Black with -1.
    #[inline]
    pub(super) fn new(terms: &'a mut T, phase: i32, sign: i32) -> Self {
        Self { terms, middlegame: sign * phase, endgame: sign * (FULL - phase), whole: sign * FULL }
    }

    /// Counts a feature.
    #[inline]
    pub(super) fn add(&mut self, feature: impl Feature, count: i32) {
        feature.add(self, count);
    }
}

/// Something that is counted.
pub(super) trait Feature {
    fn add<T: Terms>(self, tally: &mut Tally<'_, T>, count: i32);
}

impl Feature for Tapered {
    #[inline]
    fn add<T: Terms>(self, tally: &mut Tally<'_, T>, count: i32) {
        tally.terms.add(self.0, count * tally.middlegame);
        tally.terms.add(self.0 + 1, count * tally.endgame);
    }
}

impl Feature for Entry {
    #[inline]
    fn add<T: Terms>(self, tally: &mut Tally<'_, T>, count: i32) {
        tally.terms.add(self.middlegame, count * tally.middlegame);
        tally.terms.add(self.endgame, count * tally.endgame);
    }
}

impl Feature for Middlegame {
    #[inline]
    fn add<T: Terms>(self, tally: &mut Tally<'_, T>, count: i32) {
        tally.terms.add(self.0, count * tally.middlegame);
    }
}

impl Feature for Endgame {
    #[inline]
    fn add<T: Terms>(self, tally: &mut Tally<'_, T>, count: i32) {
        tally.terms.add(self.0, count * tally.endgame);
    }
}

impl Feature for Constant {
    #[inline]
    fn add<T: Terms>(self, tally: &mut Tally<'_, T>, count: i32) {
        tally.terms.add(self.0, count * tally.whole);
    }
}

/// Weights with the same range, one after the other.
const fn parameters<const N: usize>(
    names: [&'static str; N],
    abouts: [&'static str; N],
    range: [f64; 2],
    defaults: [i32; N],
) -> [Parameter; N] {
    let mut parameters = [Parameter::integer("", [0.0, 0.0], 0.0, ""); N];
    let mut index = 0;
    while index < N {
        parameters[index] = Parameter::integer(names[index], range, defaults[index] as f64, abouts[index]);
        index += 1;
    }
    parameters
}

macro_rules! tapered {
    ($range:expr => $($feature:ident $name:literal [$middlegame:literal, $endgame:literal] $about:literal)*) => {
        [$(
            Parameter::integer(concat!($name, "_mg"), $range, $middlegame as f64, concat!($about, ", in the middlegame")),
            Parameter::integer(concat!($name, "_eg"), $range, $endgame as f64, concat!($about, ", in the endgame")),
        )*]
    };
}

macro_rules! single {
    ($suffix:literal $phase:literal $($feature:ident $name:literal $default:literal $about:literal)*) => {
        [$(Parameter::integer(concat!($name, $suffix), RANGE, $default as f64, concat!($about, $phase)),)*]
    };
}

/// A weight for each of some labels in one phase.
macro_rules! labelled {
    ($name:literal $about:literal $defaults:expr, [$($label:literal)*]) => {
        parameters(
            [$(concat!($name, "_", $label)),*],
            [$(concat!($about, " ", $label)),*],
            RANGE,
            $defaults,
        )
    };
}

/// A weight for each square and its mirror image.
macro_rules! folded {
    ($name:literal $about:literal $defaults:expr) => {
        folded!($name $about $defaults, [
            "a1" "h1" "b1" "g1" "c1" "f1" "d1" "e1" "a2" "h2" "b2" "g2" "c2" "f2" "d2" "e2"
            "a3" "h3" "b3" "g3" "c3" "f3" "d3" "e3" "a4" "h4" "b4" "g4" "c4" "f4" "d4" "e4"
            "a5" "h5" "b5" "g5" "c5" "f5" "d5" "e5" "a6" "h6" "b6" "g6" "c6" "f6" "d6" "e6"
            "a7" "h7" "b7" "g7" "c7" "f7" "d7" "e7" "a8" "h8" "b8" "g8" "c8" "f8" "d8" "e8"
        ])
    };
    ($name:literal $about:literal $defaults:expr, [$($square:literal $image:literal)*]) => {
        parameters(
            [$(concat!($name, "_", $square)),*],
            [$(concat!($about, " on ", $square, " or ", $image)),*],
            RANGE,
            $defaults,
        )
    };
}

macro_rules! pawn_squares {
    ($name:literal $about:literal $defaults:expr) => {
        labelled!($name $about $defaults, [
            "a2" "b2" "c2" "d2" "e2" "f2" "g2" "h2" "a3" "b3" "c3" "d3" "e3" "f3" "g3" "h3"
            "a4" "b4" "c4" "d4" "e4" "f4" "g4" "h4" "a5" "b5" "c5" "d5" "e5" "f5" "g5" "h5"
            "a6" "b6" "c6" "d6" "e6" "f6" "g6" "h6" "a7" "b7" "c7" "d7" "e7" "f7" "g7" "h7"
        ])
    };
}

macro_rules! squares {
    ($name:literal $about:literal $defaults:expr) => {
        labelled!($name $about $defaults, [
            "a1" "b1" "c1" "d1" "e1" "f1" "g1" "h1" "a2" "b2" "c2" "d2" "e2" "f2" "g2" "h2"
            "a3" "b3" "c3" "d3" "e3" "f3" "g3" "h3" "a4" "b4" "c4" "d4" "e4" "f4" "g4" "h4"
            "a5" "b5" "c5" "d5" "e5" "f5" "g5" "h5" "a6" "b6" "c6" "d6" "e6" "f6" "g6" "h6"
            "a7" "b7" "c7" "d7" "e7" "f7" "g7" "h7" "a8" "b8" "c8" "d8" "e8" "f8" "g8" "h8"
        ])
    };
}

macro_rules! ranks {
    ($name:literal $about:literal $defaults:expr) => {
        labelled!($name $about $defaults, ["2" "3" "4" "5" "6" "7"])
    };
}

/// A weight for each kind of attacker and of what it attacks.
macro_rules! threats {
    ($name:literal $status:literal $side:literal $defaults:expr) => {
        threats!($name $status $side $defaults, ["pawn" "knight" "bishop" "rook" "queen" "king"])
    };
    ($name:literal $status:literal $side:literal $defaults:expr, [$($attacker:literal)*]) => {
        parameters(
            [$(
                concat!($name, "_", $attacker, "_pawn"),
                concat!($name, "_", $attacker, "_knight"),
                concat!($name, "_", $attacker, "_bishop"),
                concat!($name, "_", $attacker, "_rook"),
                concat!($name, "_", $attacker, "_queen"),
            )*],
            [$(
                concat!($status, " pawns that a ", $attacker, " of ", $side, " attacks"),
                concat!($status, " knights that a ", $attacker, " of ", $side, " attacks"),
                concat!($status, " bishops that a ", $attacker, " of ", $side, " attacks"),
                concat!($status, " rooks that a ", $attacker, " of ", $side, " attacks"),
                concat!($status, " queens that a ", $attacker, " of ", $side, " attacks"),
            )*],
            RANGE,
            $defaults,
        )
    };
}

/// The sum of what a file and what a rank is worth, file by file of each rank.
const fn sums<const F: usize, const R: usize, const N: usize>(files: [i32; F], ranks: [i32; R]) -> [i32; N] {
    let mut sums = [0; N];
    let mut index = 0;
    while index < N {
        sums[index] = files[index % F] + ranks[index / F];
        index += 1;
    }
    sums
}

/// Numbers that grow evenly, and are zero at `usual`.
const fn slope<const N: usize>(each: i32, usual: i32) -> [i32; N] {
    let mut numbers = [0; N];
    let mut index = 0;
    while index < N {
        numbers[index] = each * (index as i32 - usual);
        index += 1;
    }
    numbers
}

/// What attacks are worth: on something guarded if it is worth more than the attacker, on something loose always.
const fn threat_values(guarded: bool, percent: i32) -> [i32; 30] {
    const VALUES: [i32; 6] = [100, 300, 310, 500, 900, 1000];
    let mut values = [0; 30];
    let mut index = 0;
    while index < 30 {
        let (attacker, victim) = (VALUES[index / 5], VALUES[index % 5]);
        let gain = if guarded { victim - attacker } else { victim / 2 };
        let gain = if gain < 50 { 0 } else { 10 + gain / 20 };
        values[index] = gain * percent / 100;
        index += 1;
    }
    values
}

const fn offset(group: usize) -> usize {
    let (mut offset, mut before) = (0, 0);
    while before < group {
        offset += GROUPS[before].len();
        before += 1;
    }
    offset
}

const COUNT: usize = offset(GROUPS.len());

/// All of them, group by group.
pub(super) const WEIGHTS: &[Parameter] = &{
    let mut weights = [GROUPS[0][0]; COUNT];
    let (mut index, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut place = 0;
        while place < GROUPS[group].len() {
            weights[index] = GROUPS[group][place];
            index += 1;
            place += 1;
        }
        group += 1;
    }
    weights
};

/// Declares the groups of weights with a constant for each.
macro_rules! declare {
    (
        material { $($material:ident $material_name:literal $material_defaults:tt $material_about:literal)* }
        tapered { $($tapered:ident $tapered_name:literal $tapered_defaults:tt $tapered_about:literal)* }
        middlegame { $($middlegame:ident $middlegame_name:literal $middlegame_default:literal $middlegame_about:literal)* }
        endgame { $($endgame:ident $endgame_name:literal $endgame_default:literal $endgame_about:literal)* }
        constant { $($constant:ident $constant_name:literal $constant_default:literal $constant_about:literal)* }
        tables { $($table:ident = $table_mg:expr, $table_eg:expr;)* }
        middlegame_tables { $($mg_table:ident = $mg_table_weights:expr;)* }
        constant_tables { $($constant_table:ident = $constant_table_weights:expr;)* }
    ) => {
        const MATERIAL: &[Parameter] = &tapered!([0.0, 2047.0] => $($material $material_name $material_defaults $material_about)*);
        const TAPERED: &[Parameter] = &tapered!(RANGE => $($tapered $tapered_name $tapered_defaults $tapered_about)*);
        const MIDDLEGAME: &[Parameter] = &single!("_mg" ", in the middlegame" $($middlegame $middlegame_name $middlegame_default $middlegame_about)*);
        const ENDGAME: &[Parameter] = &single!("_eg" ", in the endgame" $($endgame $endgame_name $endgame_default $endgame_about)*);
        const CONSTANT: &[Parameter] = &single!("" "" $($constant $constant_name $constant_default $constant_about)*);

        const GROUPS: &[&[Parameter]] = &[
            MATERIAL, TAPERED, MIDDLEGAME, ENDGAME, CONSTANT,
            $(&$table_mg, &$table_eg,)*
            $(&$mg_table_weights,)*
            $(&$constant_table_weights,)*
        ];

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Pairs { $($material,)* $($tapered,)* }
        $(pub(super) const $material: Tapered = Tapered(2 * Pairs::$material as usize);)*
        $(pub(super) const $tapered: Tapered = Tapered(2 * Pairs::$tapered as usize);)*

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum InMiddlegame { $($middlegame,)* }
        $(pub(super) const $middlegame: Middlegame = Middlegame(offset(2) + InMiddlegame::$middlegame as usize);)*

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum InEndgame { $($endgame,)* }
        $(pub(super) const $endgame: Endgame = Endgame(offset(3) + InEndgame::$endgame as usize);)*

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Always { $($constant,)* }
        $(pub(super) const $constant: Constant = Constant(offset(4) + Always::$constant as usize);)*

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Tables { $($table,)* END }
        $(pub(super) const $table: Table = Table {
            middlegame: offset(5 + 2 * Tables::$table as usize),
            endgame: offset(6 + 2 * Tables::$table as usize),
        };)*

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum MiddlegameTables { $($mg_table,)* END }
        $(pub(super) const $mg_table: Middlegame = Middlegame(
            offset(5 + 2 * Tables::END as usize + MiddlegameTables::$mg_table as usize));)*

        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum ConstantTables { $($constant_table,)* }
        $(pub(super) const $constant_table: Constant = Constant(offset(
            5 + 2 * Tables::END as usize + MiddlegameTables::END as usize + ConstantTables::$constant_table as usize));)*
    };
}

declare! {
    material {
        PAWN   "pawn"   [100, 120] "pawns"
        KNIGHT "knight" [330, 310] "knights"
        BISHOP "bishop" [345, 335] "bishops"
        ROOK   "rook"   [480, 550] "rooks"
        QUEEN  "queen"  [970, 1000] "queens"
    }
    tapered {
        BISHOP_PAIR "bishop_pair" [25, 45] "1 for two bishops or more"
        BISHOP_OWN_PAWNS "bishop_own_pawns" [-3, -5] "own pawns on squares of a bishop's colour"
        BISHOP_KING_LINE "bishop_king_line" [8, 0] "bishops on a diagonal of the enemy king, whatever is between"
        KNIGHT_OUTPOST "knight_outpost" [20, 12] "knights on rank 4 to 6 that a pawn defends and no enemy pawn can come to attack"
        BISHOP_OUTPOST "bishop_outpost" [12, 6] "bishops on rank 4 to 6 that a pawn defends and no enemy pawn can come to attack"
        MINOR_BEHIND_PAWN "minor_behind_pawn" [6, 2] "knights and bishops right behind an own pawn"
        ROOK_OPEN_FILE "rook_open_file" [25, 8] "rooks on a file without pawns"
        ROOK_SEMI_OPEN_FILE "rook_semi_open_file" [12, 6] "rooks on a file with enemy pawns only"
        ROOK_SEVENTH "rook_seventh" [8, 20] "rooks on rank 7 when an enemy pawn is there too or the enemy king on rank 8"
        ROOKS_ON_FILE "rooks_on_file" [6, 4] "1 for two rooks on one file"
        ROOKS_CONNECTED "rooks_connected" [5, 2] "1 for two rooks that defend each other"
        ROOK_BEHIND_PASSED "rook_behind_passed" [8, 20] "rooks behind an own passed pawn"
        ROOK_BEHIND_ENEMY_PASSED "rook_behind_enemy_passed" [8, 20] "rooks behind a passed pawn of the enemy"
        ROOK_KING_FILE "rook_king_file" [10, 0] "rooks on the file of the enemy king, whatever is between"
        ROOK_KING_ADJACENT_FILE "rook_king_adjacent_file" [6, 0] "rooks on a file beside the enemy king"
        ROOK_QUEEN_FILE "rook_queen_file" [8, 2] "rooks on the file of an enemy queen, whatever is between"
        KNIGHT_KING_STEPS "knight_king_steps" [-2, -1] "king steps from a knight to the enemy king"
        BISHOP_KING_STEPS "bishop_king_steps" [-1, 0] "king steps from a bishop to the enemy king"
        ROOK_KING_STEPS "rook_king_steps" [-1, 0] "king steps from a rook to the enemy king"
        QUEEN_KING_STEPS "queen_king_steps" [-3, -3] "king steps from a queen to the enemy king"
        ISOLATED "isolated" [-10, -12] "pawns without an own pawn on the files beside theirs"
        ISOLATED_HALF_OPEN "isolated_half_open" [-8, -6] "isolated pawns on a file without enemy pawns"
        BACKWARD "backward" [-6, -8] "pawns without an own pawn beside or behind on a file next to theirs, when an enemy pawn attacks the square ahead"
        BACKWARD_HALF_OPEN "backward_half_open" [-8, -4] "backward pawns on a file without enemy pawns"
        DOUBLED "doubled" [-8, -16] "pawns on a file beyond the first"
        PAWN_ISLANDS "pawn_islands" [-4, -6] "groups of neighbouring files with own pawns"
        PASSED_BLOCKED "passed_blocked" [-8, -20] "passed pawns with an enemy piece right ahead"
        PASSED_OBSTRUCTED "passed_obstructed" [-4, -8] "passed pawns with an own piece right ahead"
        PASSED_FREE "passed_free" [4, 20] "passed pawns with no piece ahead on their file"
        PASSED_SAFE_STEP "passed_safe_step" [4, 12] "passed pawns with nothing right ahead, and no attack of the enemy there"
        PASSED_SUPPORTED "passed_supported" [8, 12] "passed pawns with an own pawn beside or one that defends them"
        KING_ESCAPES "king_escapes" [2, 2] "squares around the king without own pieces that the enemy does not attack"
        MINOR_PAWN_DEFENDED "minor_pawn_defended" [5, 3] "knights and bishops that a pawn defends"
    }
    middlegame {
        CASTLING_SHORT "castling_short" 20 "1 with the right to castle short"
        CASTLING_LONG "castling_long" 12 "1 with the right to castle long"
        UNDEVELOPED "undeveloped" -8 "knights and bishops on their first rank"
        QUEEN_EARLY "queen_early" -3 "knights and bishops on their first rank when a queen has left hers"
        KNIGHT_AT_KING "knight_at_king" 10 "knights that attack a square around the enemy king"
        BISHOP_AT_KING "bishop_at_king" 8 "bishops that attack a square around the enemy king"
        ROOK_AT_KING "rook_at_king" 10 "rooks that attack a square around the enemy king"
        QUEEN_AT_KING "queen_at_king" 14 "queens that attack a square around the enemy king"
        KING_RING_ATTACKS "king_ring_attacks" 4 "squares around the enemy king that each knight, bishop, rook and queen attacks"
        KING_RING_WEAK "king_ring_weak" 8 "squares around the enemy king that are attacked and only the king defends"
        KING_ATTACKERS_2 "king_attackers_2" 8 "1 if two pieces or more attack squares around the enemy king"
        KING_ATTACKERS_3 "king_attackers_3" 20 "1 if three pieces or more attack squares around the enemy king"
        PAWNS_AT_KING "pawns_at_king" 8 "squares around the enemy king that pawns attack"
    }
    endgame {
        PASSED_OWN_KING "passed_own_king" -5 "king steps from the own king to the square ahead of a passed pawn"
        PASSED_ENEMY_KING "passed_enemy_king" 8 "king steps from the enemy king to the square ahead of a passed pawn"
    }
    constant {
        TEMPO "tempo" 15 "1 for the side to move"
        FORK_TO_MOVE "fork_to_move" 40 "1 for the side to move if two enemy pieces are attacked that are loose or worth more than an attacker"
        FORK_WAITING "fork_waiting" 20 "1 for the other side if two enemy pieces are attacked that are loose or worth more than an attacker"
        PUSH_THREAT_TO_MOVE "push_threat_to_move" 12 "pieces of the enemy that a pawn of the side to move can come to attack by one safe move"
        PUSH_THREAT_WAITING "push_threat_waiting" 6 "pieces of the enemy that a pawn of the other side can come to attack by one safe move"
        DISCOVERY_TO_MOVE "discovery_to_move" 20 "pieces of the side to move that stand alone between an own piece and the enemy king"
        DISCOVERY_WAITING "discovery_waiting" 10 "pieces of the other side that stand alone between an own piece and the enemy king"
        CHECK_SAFE "check_safe" 10 "pieces that give check and cannot be taken"
        CHECK_UNSAFE "check_unsafe" 0 "pieces that give check and are attacked"
    }
    tables {
        PAWN_SQUARES = pawn_squares!("pawn_mg" "in the middlegame: pawns on"
                sums([-8, -2, 0, 8, 8, 0, -2, -8], [0, -2, 4, 8, 15, 30])),
            pawn_squares!("pawn_eg" "in the endgame: pawns on"
                sums([4, 2, 0, -2, -2, 0, 2, 4], [0, 0, 4, 12, 30, 60]));
        KNIGHT_SQUARES = folded!("knight_mg" "in the middlegame: knights"
                sums([-30, -10, 5, 12], [-30, -12, 0, 12, 20, 18, 0, -40])),
            folded!("knight_eg" "in the endgame: knights"
                sums([-20, -8, 4, 10], [-20, -10, 0, 8, 10, 4, -8, -22]));
        BISHOP_SQUARES = folded!("bishop_mg" "in the middlegame: bishops"
                sums([-8, 4, 2, 4], [-12, 6, 6, 4, 2, 2, -6, -14])),
            folded!("bishop_eg" "in the endgame: bishops"
                sums([-6, -2, 2, 4], [-8, -4, 0, 4, 4, 2, -2, -6]));
        ROOK_SQUARES = folded!("rook_mg" "in the middlegame: rooks"
                sums([-6, -2, 4, 8], [0, -8, -8, -6, 0, 6, 12, 8])),
            folded!("rook_eg" "in the endgame: rooks"
                sums([0, 0, 0, 0], [-4, -4, -2, 0, 4, 6, 8, 6]));
        QUEEN_SQUARES = folded!("queen_mg" "in the middlegame: queens"
                sums([-4, 0, 2, 2], [2, 2, 0, -4, -4, 0, 0, 4])),
            folded!("queen_eg" "in the endgame: queens"
                sums([-8, 0, 6, 10], [-16, -8, 0, 8, 12, 10, 6, 0]));
        KING_SQUARES = squares!("king_mg" "in the middlegame: the king on"
                sums([10, 22, 5, -12, -5, -12, 25, 15], [15, -5, -30, -50, -60, -60, -60, -60])),
            squares!("king_eg" "in the endgame: the king on"
                sums([-12, -2, 6, 10, 10, 6, -2, -12], [-25, -10, 0, 10, 14, 12, 6, -10]));
        KNIGHT_MOBILITY = labelled!("knight_mobility_mg" "in the middlegame: knights that have safe squares to go to:"
                slope(5, 4), ["0" "1" "2" "3" "4" "5" "6" "7" "8"]),
            labelled!("knight_mobility_eg" "in the endgame: knights that have safe squares to go to:"
                slope(5, 4), ["0" "1" "2" "3" "4" "5" "6" "7" "8"]);
        BISHOP_MOBILITY = labelled!("bishop_mobility_mg" "in the middlegame: bishops that have safe squares to go to:"
                slope(5, 6), ["0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11" "12" "13"]),
            labelled!("bishop_mobility_eg" "in the endgame: bishops that have safe squares to go to:"
                slope(5, 6), ["0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11" "12" "13"]);
        ROOK_MOBILITY = labelled!("rook_mobility_mg" "in the middlegame: rooks that have safe squares to go to:"
                slope(2, 7), ["0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11" "12" "13" "14"]),
            labelled!("rook_mobility_eg" "in the endgame: rooks that have safe squares to go to:"
                slope(5, 7), ["0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11" "12" "13" "14"]);
        QUEEN_MOBILITY = labelled!("queen_mobility_mg" "in the middlegame: queens that have safe squares to go to, halved:"
                slope(2, 7), ["0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11" "12" "13"]),
            labelled!("queen_mobility_eg" "in the endgame: queens that have safe squares to go to, halved:"
                slope(6, 7), ["0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11" "12" "13"]);
        PASSED = ranks!("passed_mg" "in the middlegame: passed pawns on rank" [0, 2, 6, 15, 40, 70]),
            ranks!("passed_eg" "in the endgame: passed pawns on rank" [5, 8, 18, 40, 70, 110]);
    }
    middlegame_tables {
        SHIELD_KING_FILE = labelled!("shield_king_file" "in the middlegame: 1 if the hindmost own pawn on the king's file, not behind it, is on rank (0: there is none)"
            [-20, 10, 5, -5, -10, -10, -10], ["0" "2" "3" "4" "5" "6" "7"]);
        SHIELD_BESIDE = labelled!("shield_beside" "in the middlegame: files beside the king's whose hindmost own pawn, not behind the king, is on rank (0: there is none)"
            [-15, 10, 5, -5, -10, -10, -10], ["0" "2" "3" "4" "5" "6" "7"]);
        STORM_KING_FILE = labelled!("storm_king_file" "in the middlegame: 1 if the foremost enemy pawn on the king's file, not behind it, is on rank (0: there is none)"
            [-8, -5, -15, -10, -5, 0, 0], ["0" "2" "3" "4" "5" "6" "7"]);
        STORM_BESIDE = labelled!("storm_beside" "in the middlegame: files beside the king's whose foremost enemy pawn, not behind the king, is on rank (0: there is none)"
            [-5, -10, -20, -15, -5, 0, 0], ["0" "2" "3" "4" "5" "6" "7"]);
    }
    constant_tables {
        PHALANX = ranks!("phalanx" "pawns with an own pawn beside them on rank" [2, 4, 8, 12, 20, 30]);
        DEFENDED_PAWN = labelled!("defended_pawn" "pawns that a pawn defends on rank" [6, 8, 10, 16, 24], ["3" "4" "5" "6" "7"]);
        LOOSE = labelled!("loose" "pieces that nothing defends, by their kind:" [-4, -6, -6, -4, 0], ["pawn" "knight" "bishop" "rook" "queen"]);
        PINNED = labelled!("pins" "pieces of the enemy that cannot leave a line to their king, by their kind:" [4, 12, 12, 15, 30], ["pawn" "knight" "bishop" "rook" "queen"]);
        SAFE_CHECK_TO_MOVE = labelled!("safe_check_to_move" "1 if the side to move can give check on a square that the enemy does not attack, by a" [20, 15, 20, 15], ["knight" "bishop" "rook" "queen"]);
        SAFE_CHECK_WAITING = labelled!("safe_check_waiting" "1 if the other side could give check on a square that the enemy does not attack, by a" [8, 6, 8, 6], ["knight" "bishop" "rook" "queen"]);
        OUTNUMBERED_TO_MOVE = labelled!("outnumbered_to_move" "pieces that the side to move attacks twice and that are defended once, by their kind:" [10, 25, 25, 30, 30], ["pawn" "knight" "bishop" "rook" "queen"]);
        OUTNUMBERED_WAITING = labelled!("outnumbered_waiting" "pieces that the other side attacks twice and that are defended once, by their kind:" [6, 12, 12, 15, 15], ["pawn" "knight" "bishop" "rook" "queen"]);
        LOOSE_THREATS_TO_MOVE = threats!("threat_loose_to_move" "undefended" "the side to move" threat_values(false, 100));
        GUARDED_THREATS_TO_MOVE = threats!("threat_guarded_to_move" "defended" "the side to move" threat_values(true, 120));
        LOOSE_THREATS_WAITING = threats!("threat_loose_waiting" "undefended" "the other side" threat_values(false, 50));
        GUARDED_THREATS_WAITING = threats!("threat_guarded_waiting" "defended" "the other side" threat_values(true, 80));
    }
}
