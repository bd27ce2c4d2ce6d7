use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::{Args as _, FromArgMatches as _};
use gamete_grid::{Access, Lease, Share};

use super::AccessArgs;
use crate::single_dash::{Group, shown};

/// Whether tasks are done by a grid, and how.
#[derive(Debug, clap::Args)]
pub struct GridArgs {
    /// Play games on the workers of a NATS broker (nats://host:4222) instead of here; see `gamete worker`
    #[arg(long, value_name = "URL", help_heading = "Other machines")]
    grid: Option<String>,

    /// Games at a time to play here as well
    #[arg(long, value_name = "N", default_value_t = 0, requires = "grid", help_heading = "Other machines")]
    local: usize,

    /// Seconds without news of a game after which another worker plays it
    #[arg(long, value_name = "SECONDS", default_value_t = USUAL_LEASE, requires = "grid",
          value_parser = clap::value_parser!(u64).range(1..=86_400), help_heading = "Other machines")]
    grid_lease: u64,

    /// Brokers of a cluster that store each message [default: 3 in a cluster]
    #[arg(long, value_name = "N", requires = "grid",
          value_parser = clap::value_parser!(u64).range(1..=5), help_heading = "Other machines")]
    grid_replicas: Option<u64>,

    /// Share of games, such as 2%, that a second worker also plays; a worker found wrong gets no more games, and those since its last
    /// successful check are played again
    #[arg(long, value_name = "SHARE", requires = "grid", help_heading = "Other machines")]
    check_workers: Option<Share>,

    /// Scale time controls by the speed of each machine, so that timed games are comparable; they apply to the speed of this machine,
    /// or to SPEED nodes per second
    #[arg(long, value_name = "SPEED", requires = "grid", num_args = 0..=1, require_equals = true,
          value_parser = clap::value_parser!(u64).range(1..), help_heading = "Other machines")]
    scale_clocks: Option<Option<u64>>,

    #[command(flatten)]
    access: AccessArgs,
}

/// Seconds that a worker may be silent.
const USUAL_LEASE: u64 = 300;

impl GridArgs {
    /// The grid, if there is to be one.
    ///
    /// # Errors
    ///
    /// When a file with a secret cannot be read.
    pub fn choice(&self) -> Result<Option<GridChoice>> {
        let Some(url) = &self.grid else { return Ok(None) };
        let lease = Lease {
            wait: Duration::from_secs(self.grid_lease),
            replicas: self.grid_replicas.map(|count| count as usize),
            ..Lease::default()
        };
        let checked = self.check_workers.unwrap_or_default();
        let (access, clocks) = (self.access.of(url)?, self.scale_clocks);
        Ok(Some(GridChoice { access, local: self.local, lease, checked, clocks }))
    }
}

/// The options of a grid where options have one dash.
pub const GRID_OPTIONS: &[&str] = &[
    "grid",
    "local",
    "grid-lease",
    "grid-replicas",
    "check-workers",
    "scale-clocks",
    "grid-user",
    "grid-password-file",
    "grid-token-file",
    "grid-nkey",
    "grid-creds",
    "grid-ca",
];

/// What the help of a command says of [`GRID_OPTIONS`].
macro_rules! grid_help {
    () => {
        "  -grid URL              play games on the workers of a NATS broker instead of here
  -local N               games at a time to play here as well [0]
  -check-workers SHARE   share of games, such as 2%, that a second worker also plays; a worker found
                         wrong gets no more games, and its games are played again (not timed ones)
  -scale-clocks [SPEED]  scale time controls by the speed of each machine; they apply to the speed
                         of this machine, or to SPEED nodes per second
  -grid-lease SECONDS    time without news of a game after which another worker plays it [300]
  -grid-replicas N       brokers of a cluster that store each message [3]
  -grid-user NAME        user at the broker, also from the environment; likewise
                         -grid-password-file, -grid-token-file, -grid-nkey, -grid-creds and -grid-ca
                         FILE, see docs/grid.md
"
    };
}
pub(crate) use grid_help;

/// The grid of `-grid URL` and what else there is of [`GRID_OPTIONS`], if there is to be one.
///
/// # Errors
///
/// When one of them makes no sense.
pub fn grid_choice(groups: &[Group<'_>]) -> Result<Option<GridChoice>> {
    let ours: Vec<_> = groups.iter().filter(|group| GRID_OPTIONS.contains(&group.name)).collect();
    let Some(first) = ours.first() else { return Ok(None) };
    if ours.iter().all(|group| group.name != "grid") {
        bail!("-{}: it is for games of a grid: -grid nats://host:4222", first.name);
    }
    let mut words = vec!["gamete".to_owned()];
    for group in &ours {
        words.push(match (group.name, group.values.is_empty()) {
            ("scale-clocks", true) => "--scale-clocks".to_owned(),
            (name, _) => format!("--{name}={}", group.single()?),
        });
    }
    let command = GridArgs::augment_args(clap::Command::new("gamete"));
    let args = command.try_get_matches_from(words).and_then(|found| GridArgs::from_arg_matches(&found));
    let values = || ours.iter().flat_map(|group| &group.values);
    let told = |error: &clap::Error| {
        values().fold(in_a_line(error), |text, value| text.replace(*value, &shown(value)))
    };
    args.map_err(|error| anyhow!("{}", told(&error)))?.choice()
}

/// The first line of an error, for options with one dash.
fn in_a_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").replace("'--", "'-")
}

/// A grid that does tasks.
#[derive(Debug, Clone)]
pub struct GridChoice {
    /// Its broker.
    pub access: Access,
    /// Tasks at a time that are done here beside it.
    pub local: usize,
    /// How long tasks are waited for.
    pub lease: Lease,
    /// The share of tasks that a second worker does as well.
    pub checked: Share,
    /// Whether clocks are scaled, and to which speed, if that is said.
    pub clocks: Option<Option<u64>>,
}

impl GridChoice {
    /// The speed that clocks are made for, if they are scaled: what was said, what is `known` of an earlier session, or that of this machine.
    ///
    /// # Errors
    ///
    /// When the earlier session had another one.
    pub fn reference(&self, known: Option<u64>) -> Result<Option<u64>> {
        match (self.clocks, known) {
            (None, _) => Ok(None),
            (Some(Some(said)), Some(known)) if said != known => bail!(
                "scale-clocks: its clocks were made for {known} nodes a second so far, not {said}; leave out the speed, or start over"
            ),
            (Some(said), known) => Ok(said.or(known).or_else(|| Some(gamete_arena::speed(1)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::single_dash::groups;

    fn choice(text: &str) -> Result<Option<GridChoice>> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        grid_choice(&groups(&words, GRID_OPTIONS)?)
    }

    #[test]
    fn options_with_one_dash_are_those_with_two() {
        let command = GridArgs::augment_args(clap::Command::new("gamete"));
        let all: Vec<_> = command.get_arguments().filter_map(clap::Arg::get_long).collect();
        assert_eq!(GRID_OPTIONS, all);
        let clocks = |text: &str| choice(text).expect("options").and_then(|choice| choice.clocks);
        assert_eq!(clocks("-grid a"), None);
        assert_eq!(clocks("-grid a -scale-clocks"), Some(None));
        assert_eq!(clocks("-grid a -scale-clocks 1000 -local 1"), Some(Some(1000)));
        let chosen =
            choice("-grid nats://a -local 2 -grid-lease 7 -grid-replicas 3 -check-workers 2% -grid-user me");
        let chosen = chosen.expect("options").expect("a grid");
        assert_eq!(
            (chosen.local, chosen.lease.wait, chosen.lease.replicas),
            (2, Duration::from_secs(7), Some(3))
        );
        assert_eq!(
            (chosen.checked.to_string(), chosen.access.user),
            ("2%".to_owned(), Some("me".to_owned()))
        );
        assert!(choice("").expect("nothing").is_none());
    }

    #[test]
    fn clocks_are_made_for_one_speed_in_all_sessions() {
        let chosen = |text: &str| choice(text).expect("options").expect("a grid");
        assert_eq!(chosen("-grid a").reference(Some(7)).expect("none"), None);
        assert_eq!(chosen("-grid a -scale-clocks").reference(Some(7)).expect("a speed"), Some(7));
        assert_eq!(chosen("-grid a -scale-clocks 9").reference(None).expect("a speed"), Some(9));
        let error = chosen("-grid a -scale-clocks 9").reference(Some(7)).expect_err("two speeds").to_string();
        assert!(error.contains("7 nodes a second so far, not 9"), "{error}");
    }

    #[test]
    fn slips_are_named_in_a_line() {
        for (text, words) in [
            ("-local 2", "-local: it is for games of a grid: -grid nats://host:4222"),
            ("-grid", "-grid: a value is missing"),
            ("-grid a -grid-lease 0", "invalid value '0' for '-grid-lease <SECONDS>'"),
            ("-grid a -check-workers 2", "\"2\" is not a share of all games like 2%"),
            ("-grid a -grid-password-file missing", "missing"),
            ("-grid a -local nats://me:secret@host", "invalid value 'nats://host' for '-local <N>'"),
        ] {
            let error = format!("{:#}", choice(text).expect_err(text));
            assert!(error.contains(words) && error.lines().count() == 1, "{text}: {error}");
        }
    }
}
