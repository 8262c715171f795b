//! Telling clients which files have changed on the disk.
//!
//! The workspace is asked twice a second what each file looks like. So watching stays inside like everything else, works on
//! every file system, and costs nothing where no client watches. Clients of 2025-11-25 and earlier subscribe to one
//! file after the other; those of 2026-07-28 name all of them in a request that stays open.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, RoleServer, SubscriptionSink};
use toolcrib::{Toolbox, Watched};

use crate::answer::failure;
use crate::resources::{about, existing};

/// How often files are looked at.
const LOOK: Duration = Duration::from_millis(500);
/// How many files one client, or one request of the stateless protocol, may watch.
const MOST: usize = 1000;

/// Files that are watched.
#[derive(Clone, Default)]
pub(crate) struct Watching(Arc<Mutex<Files>>);

#[derive(Default)]
struct Files {
    by_address: BTreeMap<String, Watched>,
    /// Whether a client watches them.
    looked_at: bool,
}

/// Who is told.
pub(crate) enum Listener {
    Client(Peer<RoleServer>),
    Request(SubscriptionSink),
}

impl Watching {
    /// Those of the files that may be watched, as they look now.
    pub(crate) fn of(toolbox: &Toolbox, uris: &[String]) -> Self {
        let watching = Self::default();
        for uri in uris.iter().take(MOST) {
            // What may not be watched is left out of what the client is told it gets.
            _ = watching.remember(toolbox, uri);
        }
        watching
    }

    /// The addresses of the files, in order.
    pub(crate) fn addresses(&self) -> Vec<String> {
        self.lock().by_address.keys().cloned().collect()
    }

    /// Watches one more file for a client; the first starts the looking, which ends with the last.
    pub(crate) fn add(&self, toolbox: &Toolbox, uri: &str, peer: &Peer<RoleServer>) -> Result<(), ErrorData> {
        self.remember(toolbox, uri)?;
        if !std::mem::replace(&mut self.lock().looked_at, true) {
            tokio::spawn(self.clone().look(Listener::Client(peer.clone())));
        }
        Ok(())
    }

    pub(crate) fn remove(&self, uri: &str) {
        self.lock().by_address.remove(uri);
    }

    fn remember(&self, toolbox: &Toolbox, uri: &str) -> Result<(), ErrorData> {
        let path = existing(uri)?;
        let watched = toolbox.watch(&path, &toolbox.context());
        let watched = watched.map_err(|error| about(uri, failure(error)))?;
        let files = &mut self.lock().by_address;
        if files.len() >= MOST && !files.contains_key(uri) {
            let full = format!("A client may watch {MOST} files; unsubscribe from some first");
            return Err(ErrorData::invalid_params(full, None));
        }
        files.insert(uri.to_owned(), watched);
        Ok(())
    }

    /// Tells of every change, until there is nothing left to watch or no client to tell.
    pub(crate) async fn look(self, listener: Listener) {
        while self.goes_on() {
            tokio::time::sleep(LOOK).await;
            let watching = self.clone();
            let Ok(changed) = tokio::task::spawn_blocking(move || watching.changed()).await else { return };
            for uri in changed {
                if !listener.tell(uri).await {
                    self.lock().by_address.clear();
                }
            }
            if listener.is_gone() {
                self.lock().by_address.clear();
            }
        }
    }

    fn goes_on(&self) -> bool {
        let mut files = self.lock();
        files.looked_at = !files.by_address.is_empty();
        files.looked_at
    }

    fn changed(&self) -> Vec<String> {
        let files = &mut self.lock().by_address;
        files.iter_mut().filter_map(|(uri, file)| file.changed().then(|| uri.clone())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Files> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener {
    /// Whether it could be told.
    async fn tell(&self, uri: String) -> bool {
        match self {
            Self::Client(peer) => {
                peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.is_ok()
            }
            Self::Request(sink) => sink.notify_resource_updated(uri).await.is_ok(),
        }
    }

    /// A request that is over ends its looking by itself.
    fn is_gone(&self) -> bool {
        matches!(self, Self::Client(peer) if peer.is_transport_closed())
    }
}

/// Files that were looked at when a request was accepted, until the request is followed: what changes in between is told
/// too.
#[derive(Default)]
pub(crate) struct Accepted(Mutex<Vec<Watching>>);

impl Accepted {
    /// How many requests may be between the two.
    const MOST: usize = 100;

    /// Looks at the files, and says which of them will be watched.
    pub(crate) fn look(&self, toolbox: &Toolbox, uris: &[String]) -> Vec<String> {
        let watching = Watching::of(toolbox, uris);
        let addresses = watching.addresses();
        let mut accepted = self.lock();
        if !addresses.is_empty() && accepted.len() < Self::MOST {
            accepted.push(watching);
        }
        addresses
    }

    /// The files as they looked then.
    pub(crate) fn take(&self, toolbox: &Toolbox, mut uris: Vec<String>) -> Watching {
        uris.sort();
        uris.dedup();
        let mut accepted = self.lock();
        match accepted.iter().position(|watching| watching.addresses() == uris) {
            Some(at) => accepted.swap_remove(at),
            None => Watching::of(toolbox, &uris),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Watching>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
