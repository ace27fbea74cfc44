import { type Client, ConnectError } from "@connectrpc/connect";
import { Server } from "@modelcontextprotocol/server";
import type { AgentTools, Tool } from "../../../gen/engage/agent/v1/agent_tools_pb.ts";

export type ToolsClient = Pick<Client<typeof AgentTools>, "callTool" | "listTools">;

export interface ProtocolOptions {
  readonly tools: ToolsClient;
  readonly version: string;
  /** Words an error of a call. */
  readonly describeError: (error: ConnectError) => string;
}

const instructions =
  "Events, users, webhook messages and pushes of an engage server. Names of events and properties come from list_events and describe; do not invent them.";

/**
 * Creates a server of the Model Context Protocol which calls the tools by RPC. The library decides which revision of
 * the protocol a client speaks. The text of an output is its only form: a structured copy would double it.
 */
export function createProtocolServer({ tools, version, describeError }: ProtocolOptions): Server {
  const server = new Server({ name: "engage", version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler("tools/list", async (_request, { mcpReq }) => {
    try {
      const list = await tools.listTools({}, { signal: mcpReq.signal });
      return { tools: list.tools.map(publish) };
    } catch (error) {
      throw new Error(describeError(ConnectError.from(error)), { cause: error });
    }
  });
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const request = { name: params.name, arguments: (params.arguments ?? {}) as never };
    try {
      const { text, isError } = await tools.callTool(request, { signal: mcpReq.signal });
      return { content: [{ type: "text", text }], isError };
    } catch (error) {
      // The model reads it, which an error of the protocol does not promise.
      return { content: [{ type: "text", text: describeError(ConnectError.from(error)) }], isError: true };
    }
  });
  return server;
}

function publish({ name, title, description, inputSchema, readOnly, destructive, openWorld }: Tool) {
  return {
    name,
    description,
    inputSchema: { ...inputSchema, type: "object" as const },
    annotations: { title, readOnlyHint: readOnly, destructiveHint: destructive, openWorldHint: openWorld },
  };
}
