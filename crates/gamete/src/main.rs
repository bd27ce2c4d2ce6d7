//! Evolves and tunes the players of board games.

fn main() {}
