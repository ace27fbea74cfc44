import { createClient, type HandlerContext } from "@connectrpc/connect";
import { traceHeaders } from "../../../base/trace/trace.ts";
import type { RequireKey } from "../../../gateway/auth.ts";
import type { CallOrigin } from "../../../gateway/call/inner-calls.ts";
import { recordOf } from "../../../gateway/call/record.ts";
import type { Gateway } from "../../../gateway/gateway.ts";
import { type ServedService, serve } from "../../../gateway/methods.ts";
import type { Endpoint } from "../../../gateway/pages/pages.ts";
import { AgentTools } from "../../../gen/engage/agent/v1/agent_tools_pb.ts";
import type { Config } from "../../config/config.ts";
import { callerOf } from "../gateway-ports.ts";
import { createLateService } from "../lazy.ts";
import { createEndpoint } from "./endpoint.ts";

/** The path of the Model Context Protocol over HTTP. */
export const mcpPath = "/mcp";

/** Arguments of tools, such as a list of push ids and the contents of a push, are shorter. */
const maxRequestBytes = 262_144;

/** The tools of agents, as a service and over HTTP. */
export interface Mcp {
  readonly services: readonly ServedService[];
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  /** Sets the gateway that serves them, through which they call the other services. */
  attach(gateway: Gateway): void;
}

export interface McpOptions {
  /** Undefined where callers need no key. */
  readonly requireKey: RequireKey | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Creates the tools of agents; nothing where they are switched off. Their code is loaded by the first call. */
export function createMcp({ mcp }: Pick<Config, "mcp">, { requireKey, now }: McpOptions): Mcp {
  if (!mcp.enabled) return { services: [], endpoints: {}, attach() {} };
  let attached: Gateway | undefined;
  const gateway = (): Gateway => {
    if (attached === undefined) throw new Error("the gateway is not attached");
    return attached;
  };
  const tools = createLateService(AgentTools, async () => {
    const { createAgentTools } = await import("../../../services/agent/agent.ts");
    return createAgentTools({
      callsOf: (context) => gateway().callsOf(originOf(context)),
      callerOf: (context) => callerOf(context) ?? "",
      push: mcp.push,
      now,
    });
  });
  const endpoint = createEndpoint({
    requireKey,
    readBody: (request) => gateway().readJsonBody(request, maxRequestBytes),
    toolsOf: (origin) => createClient(AgentTools, gateway().callsOf(origin)),
  });
  return {
    services: [serve(AgentTools, tools, { maxMessageBytes: maxRequestBytes })],
    endpoints: { [mcpPath]: endpoint },
    attach(created) {
      attached = created;
    },
  };
}

/** The calls of a tool have the headers of its own call, and are below its span. */
function originOf({ requestHeader, values }: HandlerContext): CallOrigin {
  const { peer, trace } = recordOf(values);
  return { headers: { ...Object.fromEntries(requestHeader.entries()), ...traceHeaders(trace) }, peer };
}
