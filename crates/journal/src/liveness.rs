//! Who is alive: a file for each open journal, locked as long as its process lives.
//!
//! A change that is under way names the journal that makes it. If that one's file can be locked by another, its process
//! is gone and the change is to be repaired.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::sync::{Mutex, PoisonError};

use toolcrib_workspace::{Error, StateFolder, random};

use crate::log::{Instance, Open};

#[derive(Debug)]
pub(crate) struct Liveness {
    folder: StateFolder,
    own: Mutex<Option<(Instance, File)>>,
}

impl Liveness {
    pub(crate) fn new(folder: StateFolder) -> Self {
        Self { folder, own: Mutex::default() }
    }

    /// Our own instance, known to others from now on.
    pub(crate) fn announce(&self) -> Result<Instance, Error> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((instance, _)) = &*own {
            return Ok(*instance);
        }
        let fail = |error| self.folder.failure("".as_ref(), error);
        let instance: Instance = random().map_err(fail)?;
        let file = self.folder.open_or_create(&name(instance))?;
        file.try_lock().map_err(|error| fail(error.into()))?;
        *own = Some((instance, file));
        Ok(instance)
    }

    pub(crate) fn is_own(&self, instance: Instance) -> bool {
        let own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        own.as_ref().is_some_and(|(own, _)| *own == instance)
    }

    /// Whether the process of this instance still runs.
    pub(crate) fn is_alive(&self, instance: Instance) -> Result<bool, Error> {
        let name = name(instance);
        let Some(file) = self.folder.open_file(&name)? else { return Ok(false) };
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(error)) => Err(self.folder.failure(&name, error)),
            Ok(()) => Ok(false),
        }
    }

    /// Removes the file of an instance that is gone, once none of its changes is open.
    pub(crate) fn forget_if_done(&self, instance: Instance, open: &[Open]) -> Result<(), Error> {
        let needed = self.is_own(instance) || open.iter().any(|open| open.instance == instance);
        if needed { Ok(()) } else { self.forget(instance) }
    }

    fn forget(&self, instance: Instance) -> Result<(), Error> {
        self.folder.remove(&name(instance))
    }
}

impl Drop for Liveness {
    fn drop(&mut self) {
        let own = self.own.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((instance, _locked)) = own {
            let _ = self.forget(instance);
        }
    }
}

fn name(instance: Instance) -> OsString {
    instance.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
}
