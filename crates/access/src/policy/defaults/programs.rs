//! Files that make other programs run things: a person is asked before one is edited.
//!
//! An agent that may write them can reach beyond its tools: a hook runs at the next commit, a task at the next start of
//! the editor, a workflow with the repository's secrets, and what other agents obey steers them. What belongs to the
//! project's own build (`package.json`, `Makefile`, `build.rs`, `Dockerfile`) is not here: editing it is the work.

use super::super::pattern::Reach;
use super::super::{Action, Group, Origin};
use super::{Row, Table, row};

pub(super) static TABLES: &[Table] = &[
    Table {
        group: Group {
            label: "Internals of version control",
            reason: "their hooks and settings run programs, and the rest is repository data",
            reach: Reach::Projects,
        },
        read: None,
        edit: Some(Action::Deny),
        origin: Origin::Default,
        rows: VERSION_CONTROL,
    },
    Table {
        group: Group {
            label: "Who may log in or become root",
            reason: "no task of an agent needs to grant access to the machine",
            reach: Reach::Everywhere,
        },
        read: None,
        edit: Some(Action::Deny),
        origin: Origin::Default,
        rows: &[
            row("**/{.rhosts,.shosts,.k5login,hosts.equiv}"),
            row("/etc/{sudoers,sudoers.d/**,pam.d/**}"),
        ],
    },
    asked("Git hooks, filters and submodules", "git runs what they name, or fetches it", HOOKS),
    asked("Continuous integration", "it runs with the project's secrets, on other machines", INTEGRATION),
    asked("Instructions for agents", "they steer every agent that works here from now on", INSTRUCTIONS),
    asked(
        "Settings of agents and MCP clients",
        "they start servers and hooks, and say what an agent may do",
        AGENTS,
    ),
    asked(
        "Settings of editors",
        "tasks, debuggers, language servers and plugins are started from them",
        EDITORS,
    ),
    asked("Shells", "they run whenever a shell starts", SHELLS),
    asked(
        "Environments of directories",
        "they run or set variables when the directory is entered",
        ENVIRONMENTS,
    ),
    asked(
        "Start-up files of interpreters and debuggers",
        "they run whenever the program starts",
        INTERPRETERS,
    ),
    asked(
        "Package managers and build tools of the user",
        "they choose what is fetched and run in every project",
        TOOLS,
    ),
    asked("Autostart, services and schedules", "they run at login or on a schedule", AUTOSTART),
    asked(
        "Programs and desktop of the user",
        "they run when a command is typed or a window opened",
        PROGRAMS,
    ),
    asked("The system", "it affects every user of this machine", SYSTEM),
];

const fn asked(label: &'static str, reason: &'static str, rows: &'static [Row]) -> Table {
    Table {
        group: Group { label, reason, reach: Reach::Projects },
        read: None,
        edit: Some(Action::Ask),
        origin: Origin::Default,
        rows,
    }
}

const VERSION_CONTROL: &[Row] = &[
    row("**/{.git,git~?}"),
    row("**/{.git,git~?,.hg,.svn,.bzr,.jj}/**"),
    // A repository without a checkout.
    row("**/*.git/{hooks/**,config}"),
];

const HOOKS: &[Row] = &[
    row(
        "**/{.gitattributes,.gitmodules,.config/git/attributes,.pre-commit-config.yaml,.overcommit.yml,.huskyrc}",
    ),
    row("**/{.githooks,.git-hooks,.husky,.lefthook,.config/git/hooks,.git-templates,.git_template}/**"),
    row("**/{lefthook,.lefthook,lefthook-local}.yml"),
    row("**/{lefthook,.lefthook,lefthook-local}.yaml"),
    row("**/{lefthook,.lefthook,lefthook-local}.toml"),
    row("**/{lefthook,.lefthook,lefthook-local}.json"),
    // With a file of this name a directory is a repository, whose configuration git obeys.
    row("**/HEAD"),
    row("**/{.pre-commit-hooks.yaml,.tigrc,.jjconfig.toml,.config/hg/hgrc,.subversion/config}"),
    row("**/.config/{jj,lazygit}/**"),
];

const INTEGRATION: &[Row] = &[
    row("**/{.github,.gitea,.forgejo}/workflows/**"),
    row("**/.github/{actions,hooks}/**"),
    row(
        "**/{.gitlab/ci,.circleci,.buildkite,.woodpecker,.drone,.semaphore,.tekton,.teamcity,bamboo-specs}/**",
    ),
    row("**/{.azure-pipelines,.azuredevops,.codefresh,.builds,.zuul.d,.harness}/**"),
    row("**/{.gitlab-ci,*.gitlab-ci,.travis,.drone,.woodpecker,.cirrus,.appveyor,.build,.shippable}.yml"),
    row(
        "**/{.gitlab-ci,*.gitlab-ci,.travis,.drone,.woodpecker,.appveyor,.zuul,cloudbuild,codemagic,buildspec}.yaml",
    ),
    row(
        "**/{appveyor,azure-pipelines*,bitbucket-pipelines,buildspec,cloudbuild,codefresh,wercker,bitrise}.yml",
    ),
    row("**/{Jenkinsfile,Jenkinsfile.*,*.jenkinsfile,.drone.star,.cirrus.star,azure-pipelines*.yaml}"),
    row("**/{.platform,.upsun,.ebextensions}/**"),
    row("**/{amplify.yml,.platform.app.yaml}"),
];

const INSTRUCTIONS: &[Row] = &[
    row("**/{CLAUDE,CLAUDE.local,AGENTS,AGENTS.override,AGENT,GEMINI,QWEN,WARP,CRUSH,SKILL}.md"),
    row("**/{.cursorrules,.windsurfrules,.clinerules,.roorules,.roomodes,.kilocodemodes,.continuerules}"),
    row("**/{.goosehints,.augment-guidelines,.rules,.github/copilot-instructions.md,replit.md}"),
    row("**/.github/{instructions,prompts,chatmodes,agents,skills}/**"),
    row("**/.clinerules/**"),
    row("**/.specify/**"),
    // What keeps files from other agents.
    row("**/.{cursorignore,aiignore,aiexclude,geminiignore,claudeignore,aiderignore,clineignore,rooignore}"),
];

const AGENTS: &[Row] = &[
    row(
        "**/{.claude,.claude-plugin,.codex,.gemini,.qwen,.opencode,.goose,.continue,.cline,.roo,.kilocode}/**",
    ),
    row(
        "**/{.copilot,.cursor,.windsurf,.codeium,.amp,.augment,.trae,.kiro,.junie,.amazonq,.openhands,.factory}/**",
    ),
    row(
        "**/{.agents,.agent,.pi,.crush,.ruler,.mcp,.config/opencode,.config/goose,.config/mcp,.config/amp}/**",
    ),
    row("**/{.mcp.json,mcp.json,mcp-config.json,opencode.json,opencode.jsonc,crush.json,.crush.json}"),
    row("**/{zed/settings.json,goose/config.yaml}"),
    row("**/{.aiassistant,.tabnine,.sourcegraph,.cody,.devin,.bolt,.serena,.taskmaster,.zencoder}/**"),
];

const EDITORS: &[Row] = &[
    row("**/{.vscode,.idea,.run,.fleet,.zed,.nova,.helix,.vs,.devcontainer,.codesandbox,.idx}/**"),
    row("**/.config/{Code,Code - Insiders,Code - OSS,VSCodium,Cursor,Windsurf}/User/**"),
    row("**/Application Support/{Code,Code - Insiders,VSCodium,Cursor,Windsurf}/User/**"),
    row("**/{.vscode-server,.vscode-remote,.cursor-server,.vim,.emacs.d,.doom.d,.atom}/**"),
    row("**/.config/{zed,nvim,vim,emacs,doom,helix,kak,micro,sublime-text,lapce-stable}/**"),
    row(
        "**/{*.code-workspace,*.sublime-project,*.sublime-build,.devcontainer.json,devcontainer.json,.gitpod.yml,.replit}",
    ),
    row(
        "**/{.exrc,.vimrc,.gvimrc,_vimrc,.nvimrc,.nvim.lua,.lvimrc,.vimrc.local,.local.vimrc,.ideavimrc,.nanorc}",
    ),
    row("**/{.emacs,.spacemacs,.dir-locals.el,.dir-locals-2.el}"),
    row("**/{.theia,.bsp}/**"),
    row("**/{devfile.yaml,.devfile.yaml,.stackblitzrc}"),
];

const SHELLS: &[Row] = &[
    row(
        "**/.{bashrc,bash_profile,bash_login,bash_logout,bash_aliases,profile,inputrc,aliases,exports,functions,extra}",
    ),
    row("**/.{zshrc,zshenv,zprofile,zlogin,zlogout,kshrc,mkshrc,cshrc,tcshrc,login,logout,xonshrc}"),
    row("**/.config/{fish,nushell,powershell,elvish,xonsh,environment.d,tmux}/**"),
    row("**/{.oh-my-zsh,.bashrc.d,.zshrc.d,.byobu}/**"),
    row("**/{*profile.ps1,.pam_environment,.tmux.conf,.screenrc,.lessfilter,.ripgreprc,.selected_editor}"),
    row("**/.{bash_completion,mailcap,wezterm.lua,config/starship.toml}"),
    row("**/.config/{zsh,alacritty,kitty,wezterm,ghostty,ranger,lf}/**"),
];

const ENVIRONMENTS: &[Row] = &[
    row("**/{.direnvrc,.autoenv,.autoenv.zsh,.tool-versions,.asdfrc,.prototools,.rtx.toml}"),
    row("**/{mise.toml,mise.local.toml,.mise.toml,.mise.local.toml,mise.*.toml,.mise.*.toml}"),
    row("**/{.mise,.config/mise,.config/direnv}/**"),
];

const INTERPRETERS: &[Row] = &[
    row("**/{sitecustomize.py,usercustomize.py,*.pth,.pdbrc,.pythonrc,.pythonrc.py,.pythonstartup}"),
    row("**/{.ipython,.jupyter,.julia/config,.gdbinit.d}/**"),
    row(
        "**/.{irbrc,pryrc,Rprofile,octaverc,ghci,ocamlinit,sqliterc,psqlrc,mongorc.js,mongoshrc.js,perldb,sbclrc,guile}",
    ),
    row("**/{.gdbinit,.gdbearlyinit,.lldbinit,.lldbinit-*,.tclshrc,.wishrc,.cpan/CPAN/MyConfig.pm}"),
    row("**/{.iex.exs,.erlang}"),
];

const TOOLS: &[Row] = &[
    row("**/.cargo/{config,config.toml,env}"),
    row(
        "**/{.mvn,.gradle,gradle/wrapper,.sbt,.yarn/releases,.yarn/plugins,.vagrant.d,.docker/cli-plugins}/**",
    ),
    row(
        "**/{.pnpmfile.cjs,.pnp.cjs,.pnp.loader.mjs,.config/go/env,.chef/knife.rb,.ansible.cfg,.config/gh/config.yml}",
    ),
    row("**/{.sbtopts,.jvmopts,.mavenrc}"),
    row("**/.config/{nix,nixpkgs,home-manager}/**"),
];

const AUTOSTART: &[Row] = &[
    row("**/{.config/autostart,.config/autostart-scripts,.config/systemd,.local/share/systemd}/**"),
    row("**/Library/{LaunchAgents,LaunchDaemons}/**"),
    row("**/{.xinitrc,.xserverrc,.xsession,.xsessionrc,.xprofile,.forward,.procmailrc,.crontab,crontab}"),
    row("/var/spool/cron/**"),
    row("**/.config/{plasma-workspace,i3,sway,hypr,awesome,bspwm,qtile,openbox,labwc,lxsession}/**"),
    row("**/{.i3,.xmonad,.fluxbox,.kde/Autostart,.local/share/dbus-1/services}/**"),
    row("**/.config/containers/systemd/**"),
];

const PROGRAMS: &[Row] = &[
    row("**/{.local/bin,.cargo/bin}/**"),
    row("**/.local/share/{applications,nautilus/scripts,kio/servicemenus,gnome-shell/extensions}/**"),
    row("~/{bin,go/bin}/**"),
];

const SYSTEM: &[Row] = &[
    row("/{etc,boot,bin,sbin,lib,lib64}/**"),
    row("/usr/{bin,sbin,lib,lib64,libexec,local/bin,local/sbin,local/lib}/**"),
];
