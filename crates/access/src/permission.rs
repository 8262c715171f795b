//! May this call do this? The rules are judged, and where they say ask, a person is asked: with the change itself, and under an
//! identity that no other change has.

use std::sync::Arc;

use serde_json::json;
use toolcrib_tool::{ErrorKind, ToolError};
use toolcrib_workspace::WorkspacePath;

use crate::context::own_approver;
use crate::edited::Edited;
use crate::policy::{Access, Action, ApprovalRequest, Approver, Decision, Pattern, Rule, Subject};
use crate::proposal::Proposal;
use crate::review::{ProposedChange, digest};
use crate::sandbox::{Location, Sandbox};

impl<'a> Sandbox<'a> {
    /// Refuses what a rule denies, and does not ask yet.
    pub(crate) fn refuse(
        &self,
        access: Access,
        location: &Location,
        path: &WorkspacePath,
    ) -> Result<(), ToolError> {
        self.refuse_subject(access, location, &location.subject(path))
    }

    /// The same, for a file that is known by more names.
    pub(crate) fn refuse_subject(
        &self,
        access: Access,
        location: &Location,
        subject: &Subject,
    ) -> Result<(), ToolError> {
        let verdict = self.policy().judge(access, subject);
        if verdict.action == Action::Deny {
            return Err(refusal(access, location, Why::of(verdict.rule), &Refused::ByRule));
        }
        Ok(())
    }

    /// Asks for all the changes of a call at once, with what would be written. `foreign` is a reason to ask although no
    /// rule says so. If the person may and does answer with another change, gives that.
    pub(crate) fn permit_changes(
        &self,
        proposals: &[Proposal],
        foreign: Option<&str>,
        editable: bool,
    ) -> Result<Option<Edited>, ToolError> {
        let asked = self.to_ask(proposals, foreign)?;
        let Some((first, why)) = asked.first() else { return Ok(None) };
        let request = ApprovalRequest { editable, ..self.request_of(&asked, *why, proposals)? };
        let is_granted = || {
            foreign.is_none()
                && asked.iter().all(|(proposal, _)| self.is_granted(Access::Edit, &proposal.subject()))
        };
        match self.require_approval(&request, &first.location, *why, &is_granted)? {
            // What would be made instead was not offered: an approver of somebody else's has made it up.
            Decision::Edited(_) if !editable => {
                let refused = Refused::NobodyAsked(
                    "the answer was another change, and this one cannot be edited".to_owned(),
                );
                Err(refusal(Access::Edit, &first.location, *why, &refused))
            }
            Decision::Edited(edited) => Ok(Some(edited)),
            _ => Ok(None),
        }
    }

    /// What a person would be asked before all these changes are made; none if nobody would be, or a rule denies them.
    pub(crate) fn question(&self, proposals: &[Proposal], foreign: Option<&str>) -> Option<ApprovalRequest> {
        let asked = self.to_ask(proposals, foreign).ok()?;
        let (_, why) = asked.first()?;
        self.request_of(&asked, *why, proposals).ok()
    }

    /// The changes for which a person is asked, and why.
    fn to_ask<'p>(
        &self,
        proposals: &'p [Proposal],
        foreign: Option<&'p str>,
    ) -> Result<Vec<(&'p Proposal, Why<'p>)>, ToolError>
    where
        'a: 'p,
    {
        let mut asked: Vec<(&Proposal, Why<'_>)> = Vec::new();
        for proposal in proposals {
            let subject = proposal.subject();
            let verdict = self.policy().judge(Access::Edit, &subject);
            let granted = || self.is_granted(Access::Edit, &subject);
            match (verdict.action, foreign) {
                (Action::Deny, _) => {
                    return Err(refusal(
                        Access::Edit,
                        &proposal.location,
                        Why::of(verdict.rule),
                        &Refused::ByRule,
                    ));
                }
                (_, Some(reason)) => asked.push((proposal, Why { rule: None, reason: Some(reason) })),
                (Action::Ask, None) if !granted() => asked.push((proposal, Why::of(verdict.rule))),
                (Action::Ask | Action::Allow, None) => {}
            }
        }
        Ok(asked)
    }

    fn request_of(
        &self,
        asked: &[(&Proposal, Why<'_>)],
        why: Why<'_>,
        proposals: &[Proposal],
    ) -> Result<ApprovalRequest, ToolError> {
        let locations: Vec<Location> = asked.iter().flat_map(|(proposal, _)| proposal.locations()).collect();
        let locations: Vec<&Location> = locations.iter().collect();
        self.request(Access::Edit, &locations, why, proposals)
    }

    /// Goes on, asks, or refuses, as the policy says.
    pub(crate) fn permit(
        &self,
        access: Access,
        subject: &Subject,
        location: &Location,
    ) -> Result<(), ToolError> {
        let verdict = self.policy().judge(access, subject);
        let why = Why::of(verdict.rule);
        match verdict.action {
            Action::Allow => Ok(()),
            Action::Deny => Err(refusal(access, location, why, &Refused::ByRule)),
            Action::Ask if self.is_granted(access, subject) => Ok(()),
            Action::Ask => {
                let request = self.request(access, &[location], why, &[])?;
                self.require_approval(&request, location, why, &|| self.is_granted(access, subject)).map(drop)
            }
        }
    }

    /// Whether the person has allowed this for the whole session.
    pub(crate) fn is_granted(&self, access: Access, subject: &Subject) -> bool {
        self.access().approvals().is_granted(self.session(), access, subject)
    }

    /// Asks the person; the clock stands still meanwhile. A dry run changes nothing, so it needs no approval for a change;
    /// what it shows needs as much approval as ever.
    fn ask(&self, request: &ApprovalRequest, is_granted: &dyn Fn() -> bool) -> Decision {
        if self.context().dry_run && request.access == Access::Edit {
            return Decision::Once;
        }
        let Some(approver) = self.approver() else {
            return Decision::Unavailable("there is no user to ask".to_owned());
        };
        let approvals = self.access().approvals();
        let cancelled = self.call().cancellation();
        self.call().paused(|| approvals.ask(approver.as_ref(), request, is_granted, cancelled))
    }

    /// Who is asked where a rule says ask.
    fn approver(&self) -> Option<&'a Arc<dyn Approver>> {
        own_approver(self.call().context()).or_else(|| self.access().approvals().approver())
    }

    /// Whether asking for a directory outside can lead to anything.
    pub(crate) fn may_ask_for_outside(&self) -> bool {
        self.approver().is_some() && !self.access().is_locked_down()
    }

    fn require_approval(
        &self,
        request: &ApprovalRequest,
        location: &Location,
        why: Why<'_>,
        is_granted: &dyn Fn() -> bool,
    ) -> Result<Decision, ToolError> {
        let decision = self.ask(request, is_granted);
        self.call().checkpoint()?;
        let refused = match decision {
            Decision::Once | Decision::Always | Decision::Edited(_) => return Ok(decision),
            Decision::No(reason) => Refused::ByPerson(reason),
            Decision::Dismissed => Refused::Dismissed,
            Decision::Unavailable(reason) => Refused::NobodyAsked(reason),
        };
        Err(refusal(request.access, location, why, &refused))
    }

    fn request(
        &self,
        access: Access,
        locations: &[&Location],
        why: Why<'_>,
        proposals: &[Proposal],
    ) -> Result<ApprovalRequest, ToolError> {
        let pattern = |location: &&Location| {
            let absolute = location.absolute();
            match access {
                Access::ExternalDirectory => absolute.parent().and_then(Pattern::below),
                Access::Read | Access::Edit => Pattern::literal(&absolute),
            }
        };
        let context = self.call().context();
        let paths: Vec<String> = locations.iter().map(|location| location.show()).collect();
        Ok(ApprovalRequest {
            id: self.access().approvals().next_id(),
            access,
            tool: self.call().tool().to_owned(),
            session_id: context.session_id.clone(),
            agent_id: context.agent_id.clone(),
            changes: proposals.iter().map(|proposal| self.shown(proposal)).collect::<Result<_, _>>()?,
            patterns: locations.iter().filter_map(pattern).collect(),
            rule: why.to_text(),
            digest: digest(access, &paths, proposals),
            editable: false,
            paths,
        })
    }

    /// What a person is shown of a proposal.
    fn shown(&self, proposal: &Proposal) -> Result<ProposedChange, ToolError> {
        let mut change = ProposedChange::of(proposal)?;
        change.denied = self.policy().judge(Access::Read, &proposal.subject()).action == Action::Deny;
        Ok(change)
    }
}

/// Why a person is asked, or a call refused.
#[derive(Clone, Copy)]
struct Why<'a> {
    rule: Option<&'a Rule>,
    /// Something other than a rule.
    reason: Option<&'a str>,
}

impl<'a> Why<'a> {
    fn of(rule: Option<&'a Rule>) -> Self {
        Self { rule, reason: None }
    }

    fn to_text(self) -> Option<String> {
        self.reason.map(str::to_owned).or_else(|| self.rule.map(ToString::to_string))
    }
}

/// Who said no. The agent is told, because what it should do next differs.
enum Refused {
    ByRule,
    ByPerson(Option<String>),
    Dismissed,
    NobodyAsked(String),
}

impl Refused {
    fn name(&self) -> &'static str {
        match self {
            Self::ByRule => "rule",
            Self::ByPerson(_) => "user",
            Self::Dismissed => "dismissed",
            Self::NobodyAsked(_) => "nobody_asked",
        }
    }

    fn sentence(&self, why: Why<'_>) -> String {
        let why = why.reason.map(str::to_owned).or_else(|| why.rule.map(|rule| format!("rule: {rule}")));
        let parts = match self {
            Self::ByRule => [None, why],
            // The rule only made the user be asked; it was the user who refused.
            Self::ByPerson(Some(reason)) => [Some(format!("the user said no: {reason}")), None],
            Self::ByPerson(None) => [Some("the user said no".to_owned()), None],
            Self::Dismissed => [Some("the user closed the question without an answer".to_owned()), why],
            Self::NobodyAsked(reason) => [Some(reason.clone()), why],
        };
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    fn hint(&self) -> &'static str {
        match self {
            Self::ByRule => {
                "do without it, or ask the user to allow it; `toolcrib rules` shows the rules in force"
            }
            Self::ByPerson(_) => {
                "do not try it another way; go on without it, or ask the user what to do instead"
            }
            Self::Dismissed => "ask the user whether it may be done before you try again",
            Self::NobodyAsked(_) => {
                "do without it, or ask the user to do it, to open `toolcrib ui` and answer there when you call again, or to allow it with a rule; `toolcrib rules` shows the rules in force"
            }
        }
    }
}

pub(crate) fn refused_by_rule(access: Access, location: &Location, rule: Option<&Rule>) -> ToolError {
    refusal(access, location, Why::of(rule), &Refused::ByRule)
}

fn refusal(access: Access, location: &Location, why: Why<'_>, refused: &Refused) -> ToolError {
    let operation = match access {
        Access::Read => "read",
        Access::Edit => "edit",
        Access::ExternalDirectory => "reach",
    };
    let because = match refused.sentence(why) {
        because if because.is_empty() => because,
        because => format!(" ({because})"),
    };
    let message = format!("Permission denied: Cannot {operation} {}{because}", location.show());
    let error = ToolError::new(ErrorKind::PermissionDenied, message)
        .hint(refused.hint())
        .with("refused_by", refused.name());
    match why.rule {
        Some(rule) => error.with("rule", json!(rule)),
        None => error,
    }
}
