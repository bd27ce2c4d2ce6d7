use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use gamete_grid::Access;

/// What a broker lets people in for. Nothing of it is stored or printed.
#[derive(Debug, Default, clap::Args)]
pub struct AccessArgs {
    /// The user at the broker [or GAMETE_GRID_USER]
    #[arg(long, value_name = "NAME", help_heading = "Access to the broker")]
    grid_user: Option<String>,

    /// A file with the user's password [or the password itself in GAMETE_GRID_PASSWORD]
    #[arg(long, value_name = "FILE", help_heading = "Access to the broker")]
    grid_password_file: Option<PathBuf>,

    /// A file with a token [or the token itself in GAMETE_GRID_TOKEN]
    #[arg(long, value_name = "FILE", help_heading = "Access to the broker")]
    grid_token_file: Option<PathBuf>,

    /// A file with the seed of an nkey [or GAMETE_GRID_NKEY]
    #[arg(long, value_name = "FILE", help_heading = "Access to the broker")]
    grid_nkey: Option<PathBuf>,

    /// A credentials file [or GAMETE_GRID_CREDS]
    #[arg(long, value_name = "FILE", help_heading = "Access to the broker")]
    grid_creds: Option<PathBuf>,

    /// The certificate of the authority that the broker's is signed by; encrypts the connection [or GAMETE_GRID_CA]
    #[arg(long, value_name = "FILE", help_heading = "Access to the broker")]
    grid_ca: Option<PathBuf>,
}

impl AccessArgs {
    /// The broker at an address, with these and with what the environment has.
    ///
    /// # Errors
    ///
    /// When a file cannot be read.
    pub fn of(&self, url: &str) -> Result<Access> {
        let variable = |name: &str| std::env::var(format!("GAMETE_GRID_{name}")).ok();
        let path =
            |given: &Option<PathBuf>, name| given.clone().or_else(|| variable(name).map(PathBuf::from));
        let secret = |file: &Option<PathBuf>, name| match file {
            Some(file) => read_secret(file).map(Some),
            None => Ok(variable(name)),
        };
        Ok(Access {
            url: url.to_owned(),
            user: self.grid_user.clone().or_else(|| variable("USER")),
            password: secret(&self.grid_password_file, "PASSWORD")?,
            token: secret(&self.grid_token_file, "TOKEN")?,
            nkey: path(&self.grid_nkey, "NKEY"),
            credentials: path(&self.grid_creds, "CREDS"),
            authority: path(&self.grid_ca, "CA"),
        })
    }
}

fn read_secret(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}
