import {
  Code,
  ConnectError,
  type HandlerContext,
  type ServiceImpl,
  type Transport,
} from "@connectrpc/connect";
import { knownNames } from "../../base/text/known-names.ts";
import { quote } from "../../base/text/quote.ts";
import type { AgentTools } from "../../gen/engage/agent/v1/agent_tools_pb.ts";
import { createCalls } from "./calls.ts";
import { writeOutput } from "./output.ts";
import { createPreviews } from "./push/previews.ts";
import type { PushSettings } from "./push/settings.ts";
import { type Tool, wordError } from "./tool.ts";
import { createChannelsAndTasks } from "./tools/channels-and-tasks.ts";
import { createDeliveries } from "./tools/deliveries.ts";
import { createDescribe } from "./tools/describe.ts";
import { createListEvents } from "./tools/list-events.ts";
import { createPreviewPush } from "./tools/preview-push.ts";
import { createQuery } from "./tools/query.ts";
import { createSendPush } from "./tools/send-push.ts";
import { createUsersBehind } from "./tools/users-behind.ts";

export interface AgentOptions {
  /** Returns a transport of calls in the name of a call: with its key, limits and metrics. */
  readonly callsOf: (context: HandlerContext) => Transport;
  /** Returns the name of the caller's key or certificate; empty without one. */
  readonly callerOf: (context: HandlerContext) => string;
  readonly push: PushSettings;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that only advances. Default: that of the process. */
  readonly steadyMs?: (() => number) | undefined;
}

/** Creates the tools. */
export function createTools({ push, now }: Pick<AgentOptions, "push" | "now">): readonly Tool[] {
  const previews = createPreviews(now);
  return [
    createListEvents(),
    createDescribe(),
    createQuery(),
    createUsersBehind(),
    createDeliveries(),
    createChannelsAndTasks(),
    createPreviewPush({ push, previews, now }),
    createSendPush({ push, previews, now }),
  ];
}

/** Creates the service of the tools of agents. */
export function createAgentTools(options: AgentOptions): ServiceImpl<typeof AgentTools> {
  const tools = createTools(options);
  return {
    listTools: () => ({
      tools: tools.map((tool) => ({
        name: tool.name,
        title: tool.title,
        description: tool.description,
        inputSchema: tool.inputSchema,
        readOnly: tool.isReadOnly,
        destructive: tool.isDestructive,
        openWorld: tool.isOpenWorld,
      })),
    }),
    async callTool({ name, arguments: args = {} }, context) {
      const tool = tools.find((one) => one.name === name) ?? refuseName(name, tools);
      const calls = createCalls(options.callsOf(context), {
        caller: options.callerOf(context),
        signal: context.signal,
        steadyMs: options.steadyMs ?? (() => performance.now()),
      });
      try {
        return { text: writeOutput(await tool.run(args, calls)) };
      } catch (error) {
        const text = wordError(error);
        if (context.signal.aborted || text === undefined) throw error;
        return { text, isError: true };
      }
    },
  };
}

function refuseName(name: string, tools: readonly Tool[]): never {
  const names = tools.map((tool) => tool.name);
  throw new ConnectError(`name is ${quote(name)}, ${knownNames(name, names)}`, Code.InvalidArgument);
}
