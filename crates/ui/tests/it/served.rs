//! A server on a workspace of its own.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolcrib::{Config, Toolbox};
use toolcrib_ui::UiServer;

use crate::client::Page;

pub(crate) struct Served {
    pub(crate) toolbox: Toolbox,
    pub(crate) root: PathBuf,
    pub(crate) configuration: PathBuf,
    pub(crate) state: PathBuf,
    /// The link that opens the page once.
    pub(crate) link: String,
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
    _folder: tempfile::TempDir,
}

impl Served {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (root, state) = (folder.path().join("project"), folder.path().join("state"));
        std::fs::create_dir(&root).unwrap();
        let configuration = folder.path().join("config/toolcrib/config.toml");
        std::fs::create_dir_all(configuration.parent().unwrap()).unwrap();
        // What the tests are about is not how the disk waits.
        std::fs::write(&configuration, "[journal]\ndurability = \"fast\"\n").unwrap();
        let open = {
            let (root, state, configuration) = (root.clone(), state.clone(), configuration.clone());
            move || {
                let config = Config::load(&configuration)?;
                Toolbox::builder().root(&root).config(config).journal_in(&state).open()
            }
        };
        let toolbox = open().unwrap();
        let server =
            UiServer::bind(0).unwrap().configuration(Some(configuration.clone())).state(Some(state.clone()));
        let (link, stop) = (server.link(), CancellationToken::new());
        let served = {
            let (stop, toolbox) = (stop.clone(), open().unwrap());
            move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(server.run(toolbox, Box::new(open), stop)).unwrap();
                runtime.shutdown_background();
            }
        };
        let thread = Some(std::thread::spawn(served));
        Self { toolbox, root, configuration, state, link, stop, thread, _folder: folder }
    }

    /// The page, opened with the link.
    pub(crate) fn page(&self) -> Page {
        Page::open(&self.link)
    }

    /// Has an agent write a file. Returns the number of the change.
    pub(crate) fn write(&self, name: impl AsRef<Path>, content: &str) -> u64 {
        let path = self.root.join(name);
        let context = self.toolbox.context().agent("claude").session("one");
        let arguments = json!({"file_path": toolcrib::names::escape(&path), "content": content});
        if path.symlink_metadata().is_ok() {
            self.toolbox.call_blocking(
                "Read",
                json!({"file_path": toolcrib::names::escape(&path)}),
                &context,
            );
        }
        let result = self.toolbox.call_blocking("Write", arguments, &context);
        assert!(result.success, "{result:?}");
        result.metadata["change"].as_u64().unwrap()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// The numbers of the changes of a list.
pub(crate) fn ids(list: &Value) -> Vec<u64> {
    list["changes"].as_array().unwrap().iter().map(|change| change["id"].as_u64().unwrap()).collect()
}
