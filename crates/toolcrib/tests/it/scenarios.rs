//! Every scenario through the library.

use toolcrib::{Config, Dialect, Toolbox};
use toolcrib_testkit::{Answer, Case, run_scenarios};

#[test]
fn every_scenario_through_the_library() {
    let count = run_scenarios(|case: &Case| {
        let dialect = case.dialect.as_deref().map_or(Dialect::default(), |name| name.parse().unwrap());
        let config = Config::parse(case.config.as_deref().unwrap_or_default()).unwrap();
        let toolbox = Toolbox::builder().root(&case.root).dialect(dialect).config(config).open().unwrap();
        let mut context = toolbox.context().dry_run(case.dry_run);
        context.session_id.clone_from(&case.session);
        let result = toolbox.call_blocking(&case.tool, case.parameters.clone(), &context);
        let conventions =
            toolbox.executor().registry().get(&case.tool).map(|tool| tool.descriptor().conventions);
        let text = result.display(&conventions.unwrap_or_default());
        Answer { text, metadata: Some(result.metadata) }
    });
    println!("{count} scenarios through the library");
}
