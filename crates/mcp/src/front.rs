//! The front: speaks the protocol with one client, in both revisions, and passes what is asked on to whoever has the engine.

use crate::{
    call::{Fault, What, read},
    listen::Watching,
    prompts::{COLLEAGUE, Got, PROMPTS},
    resources::{Listed, Read, TEMPLATES},
    table::{self, Done, Tool as Row, tools},
    waiting,
    way::{Way, Ways},
};
use handover_core::{
    limits::{MCP_SUBSCRIPTIONS_MAX, REQUEST_BYTES_MAX},
    refusal::Code,
};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
        CompletionInfo, ContentBlock, Extensions, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
        Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, Prompt, PromptArgument, PromptMessage, ProtocolVersion, ReadResourceRequestParams,
        ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, ResourcesCapability,
        Role, ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool, ToolAnnotations,
        UnsubscribeRequestParams,
    },
    service::{RequestContext, SubscriptionContext},
};
use serde_json::json;
use std::{borrow::Cow, sync::Arc};
use uuid::Uuid;

/// How long a client may take what was listed for true, in milliseconds: tools and prompts change with the version alone.
const FIXED_MS: u64 = 60 * 60 * 1_000;

/// Speaks with one client.
#[derive(Clone)]
pub struct Front {
    ways: Ways,
    watching: Arc<Watching>,
}

impl Front {
    /// A front that finds its way to an engine by what comes with a request.
    #[must_use]
    pub fn new(ways: Ways) -> Self {
        Self { ways, watching: Arc::default() }
    }

    /// A front on an engine of this process, for one agent.
    #[must_use]
    pub fn on(engine: &handover_engine::Engine, agent: Option<&str>) -> Self {
        let (engine, agent) = (engine.clone(), agent.map(str::to_owned));
        let way: Arc<dyn Way> = Arc::new(crate::way::Here { engine, agent });
        Self::new(Arc::new(move |_| Ok(way.clone())))
    }

    /// The same for a client that may be gone without a word: after so long without a request it is told nothing more.
    #[must_use]
    pub(crate) fn for_silent(mut self, most: std::time::Duration) -> Self {
        self.watching = Arc::new(Watching::for_silent(most));
        self
    }

    fn way(&self, extensions: &Extensions) -> Result<Arc<dyn Way>, ErrorData> {
        self.watching.heard();
        (self.ways)(extensions)
    }
}

/// The revisions that are spoken: the current one, and those with a handshake that hosts in the field still speak.
const REVISIONS: [ProtocolVersion; 3] =
    [ProtocolVersion::V_2025_06_18, ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28];

/// A fault as the protocol has it. What a tool refuses is no fault.
pub(crate) fn fault(fault: Fault) -> ErrorData {
    match fault {
        Fault::Unknown(message) | Fault::Wrong(message) => ErrorData::invalid_params(message, None),
        Fault::Refused(error) => {
            let data = serde_json::to_value(&error).ok();
            match error.code() {
                Code::StoreFailed | Code::StoreStopped | Code::StoreDamaged => {
                    ErrorData::internal_error(error.to_string(), data)
                }
                _ => ErrorData::invalid_params(error.to_string(), data),
            }
        }
        Fault::Unreachable(message) => ErrorData::internal_error(message, None),
    }
}

fn tool(row: &Row) -> Tool {
    let hints = ToolAnnotations::with_title(row.title)
        .read_only(row.hints.read_only)
        .destructive(row.hints.destructive)
        .idempotent(row.hints.idempotent)
        .open_world(row.hints.open_world);
    Tool::new(row.name, row.says, row.input.clone())
        .with_title(row.title)
        .with_raw_output_schema(row.output.clone())
        .with_annotations(hints)
}

/// What a tool gave: data, and the same in words.
pub(crate) fn result(done: Done) -> CallToolResult {
    let content = vec![ContentBlock::text(done.text)];
    if done.failed {
        // Data of another shape than promised would be refused by clients that check it.
        return CallToolResult::error(content);
    }
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(done.data);
    result
}

impl ServerHandler for Front {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_completions()
            .build();
        capabilities.resources = Some({
            let mut resources = ResourcesCapability::default();
            resources.subscribe = Some(true);
            resources
        });
        let mut config = ServerConfig::new(capabilities).with_instructions(COLLEAGUE);
        config.server_info = Implementation::new("handover", env!("CARGO_PKG_VERSION")).with_title("Handover");
        config.protocol_version = ProtocolVersion::V_2025_11_25;
        config
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Owned(REVISIONS.to_vec())
    }

    async fn ping(&self, _context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.watching.heard();
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        no_cursor(request)?;
        // A host that looks for tools is there: others can hand over to its agent from now on. Where that is not to be, a
        // call says why.
        if let Ok(way) = self.way(&context.extensions) {
            let _ = way.ask(What::Hello, "").await;
        }
        let mut listed = ListToolsResult::with_all_items(tools().iter().map(tool).collect());
        (listed.ttl_ms, listed.cache_scope) = (Some(FIXED_MS), Some(CacheScope::Public));
        Ok(listed)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        table::tool(name).map(tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let row = table::tool(&request.name)
            .ok_or_else(|| ErrorData::invalid_params(format!("there is no tool \"{}\"", request.name), None))?;
        let way = self.way(&context.extensions)?;
        Box::pin(waiting::call(&*way, row, request, &context)).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        no_cursor(request)?;
        let prompts = PROMPTS.iter().map(|(name, title, says, argument)| {
            let argument =
                argument.map(|(name, says)| vec![PromptArgument::new(name).with_description(says).with_required(true)]);
            Prompt::new(*name, Some(*says), argument).with_title(*title)
        });
        let mut listed = ListPromptsResult::with_all_items(prompts.collect());
        (listed.ttl_ms, listed.cache_scope) = (Some(FIXED_MS), Some(CacheScope::Public));
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let given = request.arguments.unwrap_or_default().into_iter();
        let arguments = given.filter_map(|(name, value)| Some((name, value.as_str()?.to_owned()))).collect();
        let way = self.way(&context.extensions)?;
        let got: Got = ask(&*way, What::Prompt { name: request.name, arguments }).await?;
        let mut result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, got.text)]);
        result.description = Some(got.says);
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        no_cursor(request)?;
        let way = self.way(&context.extensions)?;
        let all: Vec<Listed> = ask(&*way, What::Resources).await?;
        let resources = all.into_iter().map(|one| {
            Resource::new(one.uri, one.name)
                .with_title(one.title)
                .with_description(one.says)
                .with_mime_type("application/json")
        });
        Ok(ListResourcesResult::with_all_items(resources.collect()))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        no_cursor(request)?;
        let templates = TEMPLATES.iter().map(|(uri, name, title, says)| {
            ResourceTemplate::new(*uri, *name)
                .with_title(*title)
                .with_description(*says)
                .with_mime_type("application/json")
        });
        let mut listed = ListResourceTemplatesResult::with_all_items(templates.collect());
        (listed.ttl_ms, listed.cache_scope) = (Some(FIXED_MS), Some(CacheScope::Public));
        Ok(listed)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let way = self.way(&context.extensions)?;
        let asked = way.ask(What::Read { uri: request.uri.clone() }, &key()).await;
        let found: Read = match asked {
            Ok(value) => read(value).map_err(fault)?,
            Err(Fault::Unknown(message)) => {
                return Err(ErrorData::resource_not_found(message, Some(json!({ "uri": request.uri }))));
            }
            Err(other) => return Err(fault(other)),
        };
        let contents = ResourceContents::text(found.text, found.uri).with_mime_type("application/json");
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let way = self.way(&context.extensions)?;
        let what = What::Complete { argument: request.argument.name, value: request.argument.value };
        let values: Vec<String> = ask(&*way, what).await?;
        let info = CompletionInfo::new(values).map_err(|why| ErrorData::internal_error(why, None))?;
        Ok(CompleteResult::new(info))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let ours = requested.resource_subscriptions.iter().flatten().filter(|uri| crate::uri::read(uri).is_some());
        let uris: Vec<String> = ours.take(MCP_SUBSCRIPTIONS_MAX).cloned().collect();
        let filter = SubscriptionFilter::builder();
        Some(if uris.is_empty() { filter.build() } else { filter.resource_subscriptions(uris).build() })
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let way = self.way(&context.request_context().extensions)?;
        crate::listen::listen(way, &context).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let way = self.way(&context.extensions)?;
        // What cannot be read cannot be watched: nobody learns of what is not theirs.
        let _: Read = match way.ask(What::Read { uri: request.uri.clone() }, &key()).await {
            Ok(value) => read(value).map_err(fault)?,
            Err(Fault::Unknown(message)) => return Err(ErrorData::resource_not_found(message, None)),
            Err(other) => return Err(fault(other)),
        };
        self.watching.add(way, &request.uri, context.peer).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watching.remove(&request.uri);
        Ok(())
    }
}

/// A key that makes a call once.
pub(crate) fn key() -> String {
    Uuid::new_v4().simple().to_string()
}

async fn ask<T: serde::de::DeserializeOwned>(way: &dyn Way, what: What) -> Result<T, ErrorData> {
    read(way.ask(what, &key()).await.map_err(fault)?).map_err(fault)
}

/// Lists come whole: a cursor is none of ours.
fn no_cursor(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params("this cursor is not known", None)),
    }
}

/// Speaks with a client over two streams until it has no more to say.
///
/// # Errors
/// When the client does not begin as the protocol asks.
pub async fn serve_streams<R, W>(front: Front, reader: R, writer: W) -> Result<(), String>
where
    R: tokio::io::AsyncRead + Send + Unpin + 'static,
    W: tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    let transport =
        rmcp::transport::async_rw::AsyncRwTransport::new(reader, writer).with_max_line_length(REQUEST_BYTES_MAX);
    match front.serve(transport).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| error.to_string()),
        // Whoever goes away before it has said anything wanted nothing.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}
