import type { ServiceImpl } from "@connectrpc/connect";
import { type Client, createClient, createRouterTransport, type Transport } from "@connectrpc/connect";
import { AgentTools } from "../../../gen/engage/agent/v1/agent_tools_pb.ts";
import { AnalysisProxy } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { Catalog } from "../../../gen/engage/analysis/v1/catalog_pb.ts";
import { ChannelSender } from "../../../gen/engage/channel/v1/channel_sender_pb.ts";
import { DeadLetters } from "../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { WebhookReceiver } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { createAgentTools } from "../../../services/agent/agent.ts";
import type { PushSettings } from "../../../services/agent/push/settings.ts";

/** The services that tools call, as a test plays them. */
export interface Played {
  readonly analysis?: Partial<ServiceImpl<typeof AnalysisProxy>>;
  readonly catalog?: Partial<ServiceImpl<typeof Catalog>>;
  readonly channels?: Partial<ServiceImpl<typeof ChannelSender>>;
  readonly deadLetters?: Partial<ServiceImpl<typeof DeadLetters>>;
  readonly webhooks?: Partial<ServiceImpl<typeof WebhookReceiver>>;
}

export interface ToolRig {
  readonly client: Client<typeof AgentTools>;
  /** Milliseconds since 1970. */
  nowMs: number;
  /** Name of the caller's key. */
  caller: string;
  /** Calls a tool; resolves with its output. @throws Error with the message of a failure */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for
  call(name: string, args?: object): Promise<any>;
  /** Calls a tool that fails; resolves with its message. */
  failureOf(name: string, args?: object): Promise<string>;
}

export const noPushes: PushSettings = { allow: false, maxPerDay: 10, maxUsers: 1_000 };

/** Creates the tools over played services. */
export function createToolRig(played: Played, push: PushSettings = noPushes): ToolRig {
  const services: Transport = createRouterTransport(({ service }) => {
    service(AnalysisProxy, played.analysis ?? {});
    service(Catalog, {
      listProjects: () => ({ projects: [{ projectId: 1n }] }),
      ...played.catalog,
    });
    service(ChannelSender, played.channels ?? {});
    service(DeadLetters, played.deadLetters ?? {});
    service(WebhookReceiver, played.webhooks ?? {});
  });
  const state = { nowMs: Date.parse("2026-03-01T12:00:00Z"), caller: "agent" };
  const tools = createAgentTools({
    callsOf: () => services,
    callerOf: () => state.caller,
    push,
    now: () => state.nowMs,
  });
  const client = createClient(
    AgentTools,
    createRouterTransport(({ service }) => void service(AgentTools, tools)),
  );
  const request = async (name: string, args: object) => client.callTool({ name, arguments: args as never });
  return Object.assign(state, {
    client,
    async call(name: string, args: object = {}) {
      const { text, isError } = await request(name, args);
      if (isError) throw new Error(text);
      return JSON.parse(text) as never;
    },
    async failureOf(name: string, args: object = {}) {
      const { text, isError } = await request(name, args);
      if (!isError) throw new Error(`${name} has succeeded: ${text}`);
      return text;
    },
  });
}
