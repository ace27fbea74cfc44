import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { AnalysisProxy } from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { Catalog } from "../../gen/engage/analysis/v1/catalog_pb.ts";
import { ChannelSender } from "../../gen/engage/channel/v1/channel_sender_pb.ts";
import { DeadLetters } from "../../gen/engage/operations/v1/dead_letters_pb.ts";
import { WebhookReceiver } from "../../gen/engage/webhook/v1/webhook_receiver_pb.ts";

/** The calls that tools make, in the name of its caller. */
export interface Calls {
  readonly analysis: Client<typeof AnalysisProxy>;
  readonly catalog: Client<typeof Catalog>;
  readonly channels: Client<typeof ChannelSender>;
  readonly deadLetters: Client<typeof DeadLetters>;
  readonly webhooks: Client<typeof WebhookReceiver>;
  /** The name of the caller's key or certificate; empty without one. */
  readonly caller: string;
}

/** The time of a tool with all its calls. A model waits for its tools, and hosts give up after a minute or a few. */
const toolTimeoutMs = 50_000;

export interface CallsOptions {
  readonly caller: string;
  /** Cancels the calls. */
  readonly signal: AbortSignal;
  /** Milliseconds of a clock that only advances. */
  readonly steadyMs: () => number;
}

/** Creates the clients of one run of a tool. Their calls share its time: each gets what those before it have left. */
export function createCalls(transport: Transport, { caller, signal, steadyMs }: CallsOptions): Calls {
  const endMs = steadyMs() + toolTimeoutMs;
  const leftMs = (): number => Math.max(1, Math.ceil(endMs - steadyMs()));
  const limited: Transport = {
    unary: (method, own, timeoutMs, header, input, values) =>
      transport.unary(method, own ?? signal, timeoutMs ?? leftMs(), header, input, values),
    stream: (method, own, timeoutMs, header, input, values) =>
      transport.stream(method, own ?? signal, timeoutMs ?? leftMs(), header, input, values),
  };
  return {
    analysis: createClient(AnalysisProxy, limited),
    catalog: createClient(Catalog, limited),
    channels: createClient(ChannelSender, limited),
    deadLetters: createClient(DeadLetters, limited),
    webhooks: createClient(WebhookReceiver, limited),
    caller,
  };
}
