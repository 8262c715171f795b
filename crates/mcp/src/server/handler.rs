//! The requests of the protocol, and what answers each.

#![expect(
    deprecated,
    reason = "log messages are on their way out of the protocol; those who want them get them until then"
)]

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode, ErrorData, Implementation, ListPromptsRequestMethod,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use serde_json::{Value, json};
use toolcrib::Approver;

use super::calls::{Who, is_stateless};
use super::instructions::instructions;
use super::notify::log;
use super::{Server, Session};
use crate::answer::{Form, answer, failure};
use crate::approve::{Elicitation, Round};
use crate::clients;
use crate::resources;
use crate::watching::Listener;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_logging()
                .enable_resources()
                .enable_resources_subscribe()
                .build(),
        );
        info.server_info = Implementation::new("toolcrib", env!("CARGO_PKG_VERSION")).with_title("Toolcrib");
        info.instructions = Some(instructions(self.toolbox(), self.notice.as_deref()));
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools().to_vec()))
    }

    /// A known request whose parameters have the wrong shape arrives here, as if it were unknown.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method == "tools/call" {
            let wanted = "tools/call wants params with a name (string) and arguments (a JSON object)";
            return Err(ErrorData::invalid_params(wanted, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        *self.told_from.lock().unwrap_or_else(PoisonError::into_inner) = Some(request.level);
        Ok(())
    }

    /// There are none, and a server that answers seems to have some.
    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        // Some clients drop all tools if this fails. What is wrong with the roots is told by the first call.
        if self.left_to(&context).await.is_err() {
            return Ok(ListResourcesResult::default());
        }
        let cursor = request.and_then(|request| request.cursor);
        self.looked(&context, move |toolbox| resources::list(toolbox, cursor.as_deref())).await
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.looked(&context, move |toolbox| resources::read(toolbox, &request.uri)).await?;
        Ok(read.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watching.add(&self.served(&context).await?, &request.uri, &context.peer)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watching.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let wanted = requested.resource_subscriptions.as_deref().unwrap_or_default();
        let files = self.accepted.look(self.toolbox(), wanted);
        Some(SubscriptionFilter::builder().resource_subscriptions(files).build())
    }

    /// Ends when the client cancels the request, or with the server.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let files = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let nothing_to_watch = files.is_empty();
        let watching = self.accepted.take(self.toolbox(), files);
        tokio::select! {
            () = watching.look(Listener::Request(context.sink().clone())), if !nothing_to_watch => {}
            () = context.cancelled() => {}
            () = self.calls.cancelled() => {}
        }
        Ok(())
    }

    async fn complete(
        &self,
        _request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if let (Some(desk), Session::Named(_), Some(client)) =
            (&self.desk, &self.session, context.peer.peer_info())
        {
            desk.desk.set_agent(&clients::title(Some(&client.client_info)));
        }
        if let Some(notice) = &self.notice {
            log(&context.peer, LoggingLevel::Warning, json!(notice)).await;
        }
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        self.scope.ask_again().await;
        self.roots_said.store(matches!(self.session, Session::OfCaller { .. }), Ordering::Relaxed);
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.strip_prefix(self.prefix.as_str()).unwrap_or(&request.name);
        let tool = self.toolbox().executor().registry().get_or_raise(name);
        let tool = tool.map_err(failure)?;
        let client = clients::known(context.client_info().as_ref());
        let form = Form { facts: self.structured, images: client.shows_images };
        let _turn = match self.turn() {
            Ok(turn) => turn,
            Err(error) => return Ok(answer(error.into(), tool.descriptor(), form).into()),
        };
        let toolbox = match self.left_to(&context).await {
            Ok(toolbox) => toolbox,
            Err(error) => return Ok(answer(error.into(), tool.descriptor(), form).into()),
        };
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let offers =
            context.client_capabilities().is_some_and(|capabilities| capabilities.elicitation.is_some());
        let can_ask = offers && !(client.ends_if_nobody_is_there && self.unattended);
        if can_ask && is_stateless(&context) {
            let round =
                self.shared.rounds.enter(request.request_state.as_deref(), request.input_responses.as_ref());
            let round: Arc<Round> = Arc::new(round);
            let approver = Arc::clone(&round) as Arc<dyn Approver>;
            let who = Who::Alone(approver);
            let result = self.carry_out(&toolbox, tool.as_ref(), arguments, &context, who).await;
            return Ok(match self.shared.rounds.leave(&round) {
                Some(question) => CallToolResponse::InputRequired(question),
                None => answer(result, tool.descriptor(), form).into(),
            });
        }
        let approver = can_ask.then(|| Arc::new(Elicitation::new(context.peer.clone())) as Arc<dyn Approver>);
        let result =
            self.carry_out(&toolbox, tool.as_ref(), arguments, &context, Who::Client(approver)).await;
        Ok(answer(result, tool.descriptor(), form).into())
    }
}
