/// A run of Belmonte, "Applying Genetic Algorithms to Evolve Chess Piece Relative Values" (2013): values of knight, bishop,
/// rook and queen with the pawn as 1000.
pub struct PieceValues {
    /// What the paper calls it.
    pub name: &'static str,
    /// Whose values they are.
    pub of: &'static str,
    /// The values.
    pub values: [f64; 4],
}

/// All that he printed, of preliminary runs first.
pub const PIECE_VALUES: [PieceValues; 12] = [
    PieceValues { name: "P1", of: "mean", values: [2520.0, 3036.0, 4561.0, 3923.0] },
    PieceValues { name: "P2", of: "mean", values: [1820.0, 2499.0, 3063.0, 4008.0] },
    PieceValues { name: "S1", of: "mean", values: [3219.0, 2759.0, 3590.0, 4145.0] },
    PieceValues { name: "S2", of: "mean", values: [3387.0, 5585.0, 6593.0, 7116.0] },
    PieceValues { name: "R1", of: "first", values: [2473.0, 2481.0, 4073.0, 4704.0] },
    PieceValues { name: "R1", of: "second", values: [2537.0, 2583.0, 3899.0, 4703.0] },
    PieceValues { name: "R2", of: "first", values: [3834.0, 3781.0, 5525.0, 7343.0] },
    PieceValues { name: "R2", of: "second", values: [4632.0, 4472.0, 6712.0, 8953.0] },
    PieceValues { name: "R3", of: "first", values: [4434.0, 3403.0, 5598.0, 6939.0] },
    PieceValues { name: "R3", of: "second", values: [4007.0, 3167.0, 4507.0, 6321.0] },
    PieceValues { name: "R4", of: "first", values: [1820.0, 3939.0, 4541.0, 6029.0] },
    PieceValues { name: "R4", of: "second", values: [1681.0, 3571.0, 1947.0, 5466.0] },
];
