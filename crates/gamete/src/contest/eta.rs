use std::time::{Duration, Instant};

/// How long the rest will take, if it goes on as it went since the start of this run.
pub struct Eta {
    started: Instant,
    games: u64,
}

impl Eta {
    /// Starts now.
    pub fn start() -> Self {
        Self { started: Instant::now(), games: 0 }
    }

    /// Counts games that are over.
    pub fn count(&mut self, games: u64) {
        self.games += games;
    }

    /// `ETA: 1h 02m, about 340 more games`
    pub fn line(&self, games_left: u64) -> Option<String> {
        let per_game = self.started.elapsed().checked_div(u32::try_from(self.games).ok()?)?;
        let left = per_game.saturating_mul(u32::try_from(games_left).unwrap_or(u32::MAX));
        Some(format!("ETA: {}, about {games_left} more games", duration_text(left)))
    }
}

/// In the two largest units.
pub fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, _) => format!("{minutes}m {:02}s", seconds % 60),
        (0, ..) => format!("{hours}h {:02}m", minutes % 60),
        _ => format!("{days}d {:02}h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_told_in_two_units() {
        let text = |seconds| duration_text(Duration::from_secs(seconds));
        assert_eq!(text(7), "7s");
        assert_eq!(text(67), "1m 07s");
        assert_eq!(text(3_725), "1h 02m");
        assert_eq!(text(100_000), "1d 03h");
    }

    #[test]
    fn without_games_nothing_is_known() {
        let mut eta = Eta::start();
        assert_eq!(eta.line(10), None);
        eta.count(2);
        assert!(eta.line(10).expect("an estimate").ends_with(", about 10 more games"));
    }
}
