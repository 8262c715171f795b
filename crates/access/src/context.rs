//! Who is asked for one call.

use std::sync::Arc;

use toolcrib_tool::ExecutionContext;

use crate::policy::Approver;

/// Gives a call an approver of its own.
pub trait WithApprover {
    /// Says who is asked for this call, instead of the approver for all calls: a door that serves several clients asks the one
    /// that called.
    #[must_use]
    fn approver(self, approver: Arc<dyn Approver>) -> Self;
}

struct OwnApprover(Arc<dyn Approver>);

impl WithApprover for ExecutionContext {
    fn approver(self, approver: Arc<dyn Approver>) -> Self {
        self.attach(OwnApprover(approver))
    }
}

/// The approver that a call brings along.
pub(crate) fn own_approver(context: &ExecutionContext) -> Option<&Arc<dyn Approver>> {
    context.attachment::<OwnApprover>().map(|own| &own.0)
}
