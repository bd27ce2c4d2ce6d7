//! What all requests share.

use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;

use gamete_grid::Access;
use gamete_lab::Store;
use tokio::sync::Semaphore;

use crate::error::ApiError;
use crate::events::Events;
use crate::guard::Token;
use crate::lab::Lab;
use crate::limits::{Limits, READERS, STREAMS};
use crate::matches::KnownMatches;
use crate::play::Sessions;
use crate::ratings::RatedMatches;
use crate::runs::Runs;
use crate::watch::Watch;

/// What all requests share; a handle.
#[derive(Clone)]
pub struct App(Arc<Shared>);

/// What is behind the handle.
pub struct Shared {
    /// The lab.
    pub lab: Lab,
    /// Where journals of matches are.
    pub journals: PathBuf,
    /// What changes need, if anything.
    pub token: Option<Token>,
    /// Names of this server beside its addresses.
    pub names: Vec<String>,
    /// How much may be asked.
    pub limits: Limits,
    /// The broker of a grid.
    pub grid: Option<Access>,
    /// What happens, for event streams.
    pub events: Events,
    /// Experiments that are run here.
    pub runs: Runs,
    /// What the lab was when it was looked at last.
    pub watch: Watch,
    /// What is known of matches.
    pub matches: KnownMatches,
    /// What is known of matches for ratings.
    pub rated_matches: RatedMatches,
    /// Games on the page.
    pub sessions: Sessions,
    /// Who may think now.
    pub thinkers: Arc<Semaphore>,
    /// Who may read the lab now.
    readers: Arc<Semaphore>,
    /// Who may have an event stream.
    pub streams: Arc<Semaphore>,
}

impl Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// Where everything is, and who may use it.
pub struct AppOptions {
    /// The directory of the lab.
    pub lab: PathBuf,
    /// Where journals of matches are.
    pub journals: PathBuf,
    /// What changes need, if anything.
    pub token: Option<String>,
    /// Names of this server beside its addresses.
    pub names: Vec<String>,
    /// How much may be asked.
    pub limits: Limits,
    /// The broker of a grid.
    pub grid: Option<Access>,
}

impl App {
    /// Everything at rest.
    pub fn new(options: AppOptions) -> Self {
        let AppOptions { lab, journals, token, names, limits, grid } = options;
        Self(Arc::new(Shared {
            sessions: Sessions::new(lab.join("play")),
            lab: Lab::new(lab),
            journals,
            token: token.as_deref().map(Token::new),
            names,
            limits,
            grid,
            events: Events::default(),
            runs: Runs::default(),
            watch: Watch::default(),
            matches: KnownMatches::default(),
            rated_matches: RatedMatches::default(),
            thinkers: Arc::new(Semaphore::new(limits.thinking)),
            readers: Arc::new(Semaphore::new(READERS + limits.thinking)),
            streams: Arc::new(Semaphore::new(STREAMS)),
        }))
    }

    /// Does something that takes a while, on a thread for that.
    ///
    /// # Errors
    ///
    /// When it fails.
    pub async fn blocking<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Self) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        let permit = Arc::clone(&self.readers).acquire_owned().await;
        let app = self.clone();
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            act(&app)
        });
        task.await.unwrap_or_else(|error| Err(ApiError::unavailable(format!("internal error: {error}"))))
    }

    /// Reads the lab.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or does not have what is asked for.
    pub async fn read<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Self, &Store) -> Result<T, ApiError> + Send + 'static,
    ) -> Result<T, ApiError> {
        self.blocking(move |app| app.lab.with(|store| act(app, store))).await
    }
}
