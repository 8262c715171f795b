//! How things stand, for a page that has just been opened.

use std::time::SystemTime;

use serde_json::{Value, json};
use toolcrib::names;

use crate::app::{App, milliseconds};

/// All that the page shows at first, but for the changes.
pub(super) fn whole(app: &App) -> Value {
    let toolbox = app.toolbox();
    let roots = toolbox.workspace().roots();
    let paths: Vec<_> = roots.iter().map(|root| names::escape(root.path())).collect();
    let name = roots.first().and_then(|root| root.path().file_name().map(names::escape));
    super::diff::merged(
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "roots": paths,
            "workspace": {"name": name.as_deref().unwrap_or("/"), "path": paths.first()},
            "user": std::env::var("USER").ok(),
        }),
        light(app),
    )
}

/// What may have changed while the page was not connected.
pub(crate) fn light(app: &App) -> Value {
    let now = json!({"now": milliseconds(SystemTime::now()), "journal": journal(app)});
    super::diff::merged(now, super::desk::now(app))
}

fn journal(app: &App) -> Value {
    let journal = match app.journal() {
        Ok(journal) => journal,
        Err(error) => return json!({"newest": 0, "damage": error.message(), "live": false}),
    };
    let damage = journal.damage().map_or_else(
        |error| Some(format!("The journal cannot be read: {error}")),
        |damage| {
            let lost = damage.iter().filter(|damage| damage.loses_records());
            let first = lost.clone().next()?;
            Some(format!(
                "The journal is damaged in {} places ({first}), so changes are missing. `toolcrib doctor --journal` reports \
                 what is lost",
                lost.count()
            ))
        },
    );
    json!({"newest": super::changes::newest(&journal).unwrap_or(0), "damage": damage, "live": app.hub.is_live()})
}
