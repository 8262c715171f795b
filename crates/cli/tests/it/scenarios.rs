//! Every scenario through the command line.

use toolcrib::{Dialect, Settings, ToolResult};
use toolcrib_testkit::{Answer, Case, run_scenarios};

use crate::{stdout, toolcrib};

#[test]
fn every_scenario_through_the_command_line() {
    let count = run_scenarios(|case: &Case| {
        let parameters = case.parameters.to_string();
        let mut args = vec!["call", &case.tool, &parameters, "--json"];
        args.extend(case.dialect.iter().flat_map(|name| ["--dialect", name]));
        args.extend(case.session.iter().flat_map(|id| ["--session", id]));
        args.extend(case.dry_run.then_some("--dry-run"));
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config.toml");
        if let Some(text) = &case.config {
            std::fs::write(&config, text).unwrap();
            args.extend(["--config", config.to_str().unwrap()]);
        }
        let output = toolcrib(&case.root, &args);
        let result: ToolResult = serde_json::from_str(stdout(&output)).unwrap();
        assert_eq!(output.status.code(), Some(if result.success { 0 } else { 1 }), "{}", case.name);
        let dialect = case.dialect.as_deref().map_or(Dialect::default(), |name| name.parse().unwrap());
        let tools = dialect.tools(Settings { undo: true, more_tools: true, ..Settings::default() });
        let tool = tools.iter().find(|tool| tool.name() == case.tool);
        let conventions = tool.map(|tool| tool.descriptor().conventions).unwrap_or_default();
        Answer { text: result.display(&conventions), metadata: Some(result.metadata) }
    });
    println!("{count} scenarios through the command line");
}
