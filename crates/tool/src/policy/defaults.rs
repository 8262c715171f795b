//! The rules that come with Toolcrib. `toolcrib rules` shows them; a rule of the user's with the same kind and pattern
//! takes the place of one.

use std::sync::LazyLock;

use super::{Access, Action, Origin, Rule};

/// Secrets, neither shown to a model nor written by one; and what looks like one and is meant to be shared.
const SECRETS: &[(&str, &[&str])] = &[
    ("**/.env", &[]),
    ("**/.env.*", &["**/.env.{example,sample,template,dist,defaults}"]),
    ("**/.envrc", &[]),
    ("**/?*.env", &["**/{example,sample,template}.env"]),
    // Private keys.
    ("**/id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk}", &[]),
    ("**/*.{pem,key,p12,pfx,ppk,jks,keystore,kdbx}", &[]),
    ("**/.ssh/**", &["**/.ssh/{*.pub,config,known_hosts}"]),
    ("**/.gnupg/**", &[]),
    // Credential stores.
    ("**/.aws/credentials", &[]),
    ("**/.azure/**", &[]),
    ("**/.config/gcloud/**", &[]),
    ("**/.config/gh/hosts.yml", &[]),
    ("**/.docker/config.json", &[]),
    ("**/.kube/config", &[]),
    ("**/.git-credentials", &[]),
    ("**/{.netrc,_netrc,.pgpass,.my.cnf,.pypirc,.vault-token,.htpasswd}", &[]),
    ("**/credentials.tfrc.json", &[]),
];

/// Files whose content git runs or obeys.
const GIT: &[&str] = &["**/.git", "**/.git/**", "**/git~?", "**/git~?/**"];

/// Files that make other programs run things: editors, agents, MCP clients, shells.
const CONFIGURATIONS: &[&str] = &[
    "**/.{vscode,idea,zed,cursor,windsurf,claude,codex,gemini,opencode,goose,continue,roo,devcontainer,husky}/**",
    "**/{.mcp.json,mcp.json,opencode.json,opencode.jsonc,.aider.conf.yml,.devcontainer.json}",
    "**/{.exrc,.vimrc,.nvimrc,.nvim.lua,.dir-locals.el,.lldbinit,.gdbinit}",
    "**/{.bashrc,.bash_profile,.profile,.zshrc,.zshenv,.zprofile,.gitconfig}",
];

/// What decides what agents may do is not theirs to write.
const OWN: &[&str] = &["**/.toolcrib.toml"];

pub(crate) fn rules() -> Vec<Rule> {
    static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        let mut rules = group(OWN, Access::Edit, Action::Deny, Origin::Fixed);
        for kind in [Access::Read, Access::Edit] {
            rules.extend(SECRETS.iter().filter_map(|(pattern, shared)| secret(kind, pattern, shared)));
        }
        rules.extend(group(GIT, Access::Edit, Action::Deny, Origin::Default));
        rules.extend(group(CONFIGURATIONS, Access::Edit, Action::Ask, Origin::Default));
        rules
    });
    RULES.clone()
}

// A pattern that does not parse would be left out; the test below sees that none is.

fn secret(kind: Access, pattern: &str, shared: &[&str]) -> Option<Rule> {
    let rule = Rule::new(kind, pattern, Action::Deny, Origin::Default).ok()?;
    shared.iter().try_fold(rule, |rule, pattern| rule.except(pattern)).ok()
}

fn group(patterns: &[&str], kind: Access, action: Action, origin: Origin) -> Vec<Rule> {
    patterns.iter().filter_map(|pattern| Rule::new(kind, pattern, action, origin).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_one() {
        assert_eq!(rules().len(), OWN.len() + 2 * SECRETS.len() + GIT.len() + CONFIGURATIONS.len());
    }
}
