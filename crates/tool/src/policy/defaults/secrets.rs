//! Files that hold secrets: a model neither sees nor writes them.

use super::super::pattern::Reach;
use super::super::{Action, Group, Origin};
use super::{Row, Table, except, row};

pub(super) static TABLES: &[Table] = &[
    secret("Environment files", "programs read passwords and tokens from them", ENVIRONMENT),
    secret("Private keys", "whoever holds one is let in", KEYS),
    secret("Credential stores", "they open accounts and machines", STORES),
];

const fn secret(label: &'static str, reason: &'static str, rows: &'static [Row]) -> Table {
    Table {
        group: Group { label, reason, reach: Reach::Everywhere },
        read: Some(Action::Deny),
        edit: Some(Action::Deny),
        origin: Origin::Default,
        rows,
    }
}

const ENVIRONMENT: &[Row] = &[
    row("**/.env"),
    except("**/.env.*", &["**/.env.{example,sample,template,dist,defaults}"]),
    row("**/.envrc"),
    except("**/?*.env", &["**/{example,sample,template}.env"]),
];

const KEYS: &[Row] = &[
    row("**/id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk}"),
    row("**/*.{pem,key,p12,pfx,ppk,jks,keystore,kdbx}"),
    except("**/.ssh/**", &["**/.ssh/{*.pub,config,known_hosts}"]),
    row("**/.gnupg/**"),
];

const STORES: &[Row] = &[
    row("**/.aws/credentials"),
    row("**/{.azure,.config/gcloud}/**"),
    row("**/{.config/gh/hosts.yml,.docker/config.json,.kube/config,.git-credentials,credentials.tfrc.json}"),
    row("**/{.netrc,_netrc,.pgpass,.my.cnf,.pypirc,.vault-token,.htpasswd}"),
];
