//! Everything that grows.

mod files;
mod journal;
mod lines;
mod patches;
mod requests;
mod rules;
mod server;
mod trees;

use crate::row::Ground;

pub(crate) const GROUNDS: &[&Ground] = &[
    &files::FILE_SIZE,
    &files::WHOLE_FILE,
    &lines::LINE_LENGTH,
    &lines::MATCHES,
    &lines::NEAR_MISSES,
    &lines::OLD_STRING,
    &requests::EDITS,
    &patches::HUNKS,
    &patches::SECTIONS,
    &patches::FILES,
    &patches::DIRECTORIES,
    &trees::FILES,
    &trees::ENTRIES,
    &trees::DEPTH,
    &trees::IGNORE_RULES,
    &trees::LINKS,
    &requests::ALTERNATIVES,
    &requests::EXCLUDED,
    &rules::RULES,
    &rules::COMMENTS,
    &rules::ROOTS,
    &rules::FILES_READ,
    &rules::SESSIONS,
    &journal::CHANGES,
    &server::CALLS,
];
