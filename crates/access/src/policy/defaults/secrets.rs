//! Files that hold secrets: a model neither sees nor writes them.
//!
//! The measure are the file names in the tables of secret scanners (gitleaks, trufflehog, gitrob) and in GitHub's ignore
//! templates, and what the programs of these groups keep in a home. Names that mean other things as often (`token.json`,
//! `config.php`, `*.log`, `settings.py`) are not here. Backups of all of these are covered by `copies`.

use super::super::pattern::Reach;
use super::super::{Action, Group, Origin};
use super::{Row, Table, except, readable, row};

pub(super) static TABLES: &[Table] = &[
    secret("Environment files", "programs read passwords and tokens from them", ENVIRONMENT),
    secret("Private keys", "they grant access to whatever trusts them", KEYS),
    secret("Credentials of git and its hosts", "they allow pushing in the user's name", GIT),
    secret("Credentials of package managers", "they allow publishing in the user's name", PACKAGES),
    secret(
        "Credentials of clouds and services",
        "they give access to accounts, machines and billing",
        CLOUDS,
    ),
    secret("Credentials of agents", "they give access to the user's accounts at model providers", AGENTS),
    secret("Keyrings, password managers and wallets", "they unlock all other accounts", KEYRINGS),
    secret("Browsers' and messengers' stores", "they hold cookies, passwords and messages", BROWSERS),
    secret("Histories", "passwords are typed into shells and consoles", HISTORIES),
    secret("Passwords of databases, mail and the system", "they contain passwords in plain text", PASSWORDS),
    Table {
        group: Group {
            label: "Git's configuration",
            reason: "its remotes and headers contain tokens, and git commands show the rest",
            reach: Reach::Everywhere,
        },
        read: Some(Action::Deny),
        edit: None,
        origin: Origin::Default,
        rows: GIT_CONFIGURATION,
    },
    Table {
        group: Group {
            label: "Claude Code's settings of the user",
            reason: "they hold an account and tokens of MCP servers; `toolcrib init` writes them",
            reach: Reach::Everywhere,
        },
        read: Some(Action::Deny),
        edit: Some(Action::Ask),
        origin: Origin::Default,
        rows: &[row("**/.claude.json")],
    },
    Table {
        group: Group {
            label: "Settings that may hold passwords",
            reason: "they contain tokens as often as settings, and some name programs to run",
            reach: Reach::Everywhere,
        },
        read: Some(Action::Ask),
        edit: Some(Action::Ask),
        origin: Origin::Default,
        rows: SETTINGS,
    },
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

/// Texts of user interfaces are kept in files named after what they are about.
const TRANSLATIONS: &[&str] =
    &["**/{i18n,l10n,lang,langs,languages,locale,locales,messages,translations}/**"];

const ENVIRONMENT: &[Row] = &[
    row("**/.env"),
    except(
        "**/.env.*",
        &["**/.env.{example,sample,template,dist,defaults,schema}", "**/.env.*.{example,sample,template}"],
    ),
    except("**/.env{-,_}*", &["**/.env{-,_}{example,sample,template}"]),
    except("**/?*.env", &["**/{example,sample,template}.env", "**/*.{example,sample,template}.env"]),
    row("**/{.envrc,.dev.vars,.Renviron}"),
    except("**/.dev.vars.*", &["**/.dev.vars.example"]),
];

const KEYS: &[Row] = &[
    row("**/id_{rsa,dsa,ecdsa,ed25519,ecdsa_sk,ed25519_sk,xmss}"),
    row("**/*_{rsa,dsa,ecdsa,ed25519}"),
    row("**/*.{pem,key,ppk,p8,pk8,p12,pfx,pkcs12,jks,jceks,bks,keystore,keytab,ovpn}"),
    row("**/{private_key,ssh_host_*_key,otr.private_key,secring.*,secret*.asc,private*.asc}"),
    readable("**/.ssh/**", &["**/.ssh/{*.pub,config,known_hosts}"]),
    row("**/{.gnupg,.config/sops/age}/**"),
    row("/etc/{ssl/private,wireguard}/**"),
    row("**/{wg0.conf,key.properties,keystore.properties}"),
    row("**/{krb5cc_*,*.priv,*.bek}"),
];

const GIT: &[Row] = &[
    row("**/{.git-credentials,.config/git/credentials,.config/hub,.config/gh/hosts.yml}"),
    row("**/{.config/glab-cli,.svn/auth,.subversion/auth}/**"),
    row("**/{git-credentials,.cvspass,GitHub.sublime-settings}"),
];

const GIT_CONFIGURATION: &[Row] = &[
    row("**/*.git/{config,config.worktree,modules/**/config,worktrees/*/config.worktree}"),
    row("**/{.hg/hgrc,.jj/repo/config.toml}"),
];

const PACKAGES: &[Row] = &[
    row("**/.cargo/{credentials,credentials.toml}"),
    row("**/.m2/{settings.xml,settings-security.xml}"),
    row("**/{.pypirc,.gem/credentials,.gradle/gradle.properties,.pause,.hex/hex.config,.dockercfg}"),
    row("**/{.docker/config.json,pypoetry/auth.toml,.config/pnpm/auth.ini,helm/registry/config.json}"),
    except("**/{auth.json,oauth_creds.json,mcp-auth.json}", TRANSLATIONS),
    row("**/.local/share/uv/credentials/**"),
    row("**/{helm/repositories.yaml,.helm/repository/repositories.yaml,dockercfg}"),
];

const CLOUDS: &[Row] = &[
    // Folders of command-line clients.
    row(
        "**/{.aws,.azure,.oci,.kube,.aliyun,.bluemix,.gsutil,.mc,.cloudflared,.ngrok2,.snowsql,.snowflake}/**",
    ),
    row(
        "**/.config/{gcloud,doctl,netlify,scw,hcloud,stripe,ngrok,rclone,argocd,wandb,configstore,firebase}/**",
    ),
    row(
        "**/{com.vercel.cli,.wrangler/config,.twilio-cli,.heroku,.duckdb/stored_secrets,.credentials,.secret,.secrets}/**",
    ),
    // Their files.
    row(
        "**/{.s3cfg,.boto,.passwd-s3fs,.ossutilconfig,.databrickscfg,.sentryclirc,.tugboat,.terraformrc,.linode-cli}",
    ),
    row("**/{rclone.conf,.rclone.conf,terraform.rc,credentials.tfrc.json,kaggle.json,ngrok.yml,talosconfig}"),
    row(
        "**/{.fly/config.yml,.netlify/config.json,.railway/config.json,.supabase/access-token,.circleci/cli.yml}",
    ),
    row("**/{.talos/config,.travis/config.yml,.argocd/config,.dbt/profiles.yml,etc/rancher/k3s/k3s.yaml}"),
    row("**/{kubeconfig,*.kubeconfig,kubeconfig.yml,kubeconfig.yaml,huggingface/token,.huggingface/token}"),
    // What infrastructure tools remember, and what unlocks what they encrypt.
    row("**/{*.tfstate,.vault_pass*,.vault-pass*,vault_pass.txt,vault-pass.txt,hudson.util.Secret}"),
    row(
        "**/vault{_pass,-pass,_password,-password,_password.txt,-password.txt,_password_file,-password-file}",
    ),
    // Service accounts.
    except(
        "**/{*service-account*.json,*service_account*.json,*serviceaccount*.json,*adminsdk*.json}",
        SCHEMAS,
    ),
    except("**/{client_secret*.json,keyfile.json}", SCHEMAS),
    except("**/*{-,_}key.json", KEYS_OF_OTHER_KINDS),
    // Files that are called what they hold.
    except(
        "**/{*credentials.json,credentials.yml,credentials.yaml,credentials.xml,credentials.csv}",
        TRANSLATIONS,
    ),
    except("**/secrets.{json,yml,yaml,toml,ini,properties}", SECRETS_OF_CHARTS),
    row("**/{.secret,.secrets}"),
    except("**/{.secret,.secrets}.*", &["**/.secrets.baseline"]),
    row("**/{.credentials,local.settings.json,*.publishsettings,*.secret.exs,secret_token.rb,.httr-oauth}"),
    row("**/{export_credentials.cfg,http-client.private.env.json}"),
    row("**/{.chef/credentials,.puppetlabs/token,.expo/state.json,s3cfg,.trc,*.cscfg}"),
];

/// A description of what such a file looks like is not one.
const SCHEMAS: &[&str] = &["**/*.schema.json", "**/*{example,sample,template}*.json"];

/// Keys that open nothing.
const KEYS_OF_OTHER_KINDS: &[&str] = &[
    "**/*{public,primary,foreign,example,sample,template}*.json",
    "**/{i18n,l10n,lang,langs,languages,locale,locales,messages,translations}/**",
];

/// The templates of a Helm chart, and texts.
const SECRETS_OF_CHARTS: &[&str] = &[
    "**/templates/secrets.{yml,yaml}",
    "**/{i18n,l10n,lang,langs,languages,locale,locales,messages,translations}/**",
];

const AGENTS: &[Row] = &[
    row("**/.gemini/{google_accounts.json,mcp-oauth-tokens.json,mcp-oauth-tokens-v2.json}"),
    row("**/.continue/{config.json,config.yaml}"),
    row("**/{.config/github-copilot,.config/openai,.anthropic,.openai}/**"),
    row(
        "**/{.codeium/config.json,.copilot/config.json,io.datasette.llm/keys.json,state.vscdb,state.vscdb.backup}",
    ),
];

const KEYRINGS: &[Row] = &[
    row("**/{.local/share/keyrings,.gnome2/keyrings,.local/share/kwalletd,.kde/share/apps/kwallet}/**"),
    row(
        "**/{.password-store,.local/share/gopass,Library/Keychains,.lpass,.electrum,.bitcoin,.ethereum/keystore}/**",
    ),
    row("**/.config/{Bitwarden,Bitwarden CLI,1Password,op,keepassxc,solana}/**"),
    row("**/{*.kdb,*.kdbx,*.psafe3,*.keychain,*.keychain-db,*.kwallet,*.agilekeychain,wallet.dat}"),
];

const BROWSERS: &[Row] = &[
    row("**/{.mozilla,.librewolf,.waterfox,.thunderbird}/**"),
    row(
        "**/.config/{google-chrome,google-chrome-beta,chromium,BraveSoftware,microsoft-edge,vivaldi,opera}/**",
    ),
    row("**/Application Support/{Firefox,Google/Chrome,Chromium,BraveSoftware,Microsoft Edge,Vivaldi}/**"),
    row("**/{.config,Application Support}/Slack/**"),
    row("**/{.config,Application Support}/discord/**"),
    row("**/{.config,Application Support}/Signal/**"),
    row("**/{key3.db,key4.db,logins.json,signons.sqlite,cookies.sqlite,cookies.txt,Cookies.binarycookies}"),
    row("**/Login Data{, For Account}"),
];

const HISTORIES: &[Row] = &[
    row("**/.{*_history,history,zhistory,histfile,Rhistory,lesshst,viminfo,dbshell}"),
    row("**/{fish_history,ConsoleHost_history.txt,ghci_history,mongosh_repl_history,repl_history.jl}"),
    row("**/.aider.{input.history,chat.history.md,llm.history}"),
    row("**/{.claude,.codex}/history.jsonl"),
    row("**/nushell/history.{txt,sqlite3}"),
    row("**/.local/share/{atuin,xonsh/history_json}/**"),
    row("**/.ipython/**/history.sqlite"),
    row("**/.{*-history,octave_hist}"),
    row("**/{bash_history,zsh_history}"),
    row("**/{pgcli,mycli,litecli}/history"),
    row("**/{.bash_sessions,.zsh_sessions}/**"),
];

const PASSWORDS: &[Row] = &[
    row("**/{.netrc,_netrc,.authinfo,.htpasswd,.pgpass,pgpass.conf,.pg_service.conf,.my.cnf,.mylogin.cnf}"),
    row("**/.{*token,*password,*passwd,*_pass}"),
    row("**/.cassandra/{credentials,cqlshrc}"),
    row(
        "**/{dbeaver-data-sources.xml,credentials-config.json,robomongo.json,.smbcredentials,.davfs2/secrets}",
    ),
    row("**/{.fetchmailrc,.msmtprc,.muttrc,.neomuttrc,.offlineimaprc,.mbsyncrc,.esmtprc,.getmail/getmailrc}"),
    row("**/{.purple/accounts.xml,.irssi/config,weechat/sec.conf,.erlang.cookie,.Xauthority,.ICEauthority}"),
    row("**/{sftp-config.json,.vscode/sftp.json,.ftpconfig,filezilla.xml,recentservers.xml,sitemanager.xml}"),
    row("**/{WebServers.xml,proftpdpasswd,.vnc/passwd,wpa_supplicant.conf}"),
    row("**/etc/{shadow,shadow-,gshadow,gshadow-,security/opasswd}"),
    row("/etc/{NetworkManager/system-connections,ppp/peers}/**"),
    row("/etc/ppp/{chap,pap}-secrets"),
    row("/{run/secrets,var/run/secrets}/**"),
    row("/proc/*/environ"),
    row("**/{netrc,pgpass,htpasswd,passwords.txt,passwords.csv,password.txt,*.rdp}"),
    row("**/{.dbeaver-data-sources.xml,dataSources.local.xml,sqlDataSources.xml}"),
];

const SETTINGS: &[Row] = &[
    row("**/{.npmrc,.yarnrc,.yarnrc.yml,pip.conf,pip.ini,.pydistutils.cfg,.condarc,nuget.config,.gemrc}"),
    row(
        "**/{.bundle/config,.cabal/config,.lein/profiles.clj,.config/pnpm/rc,.config/uv/uv.toml,.wgetrc,.curlrc}",
    ),
    row("**/{.gitconfig,.config/git/config,.hgrc,.aider.conf.yml}"),
    row("**/{claude_desktop_config.json,mcp_config.json,cline_mcp_settings.json,mcp_settings.json}"),
    except("**/*.{tfvars,tfvars.json}", &["**/*{example,sample,template}*"]),
    row("**/{wp-config.php,LocalSettings.php,config.inc.php}"),
];
