import { readFileSync } from "node:fs";
import { createOutbound, followOutbound, type Outbound } from "../../../base/net/outbound.ts";
import { type Channel, compileChannels } from "../../../services/webhook/channels.ts";
import type { RefusedRequests } from "../../../services/webhook/refused/refused-requests.ts";
import type { Config } from "../../config/config.ts";
import type { WebhookMetrics } from "../metrics/webhook.ts";
import type { Prepared, ReloadablePart } from "../reload/reload.ts";
import type { Messages } from "./messages.ts";

/** The methods that need the inbox, which is opened when channels or targets are first configured. */
export interface FollowedMessages extends AsyncDisposable {
  readonly current: () => Messages;
  /** Returns a function that returns what was made of the current methods. */
  followed<T>(make: (messages: Messages) => T): () => T;
  /** Returns the methods for a configuration, which `use` makes the current ones. */
  open(config: Config): Promise<Messages>;
  use(messages: Messages): void;
}

/** @param refusing the methods of a server without channels and targets, which needs no folder, thread or database */
export function createFollowedMessages(refusing: Messages, open: () => Promise<Messages>): FollowedMessages {
  let current = refusing;
  return {
    current: () => current,
    followed(make) {
      let made: { readonly of: Messages; readonly value: ReturnType<typeof make> } | undefined;
      return () => {
        if (made?.of !== current) made = { of: current, value: make(current) };
        return made.value;
      };
    },
    async open(config) {
      const { channels, targets } = config.webhook;
      const isUsed = Object.keys(channels).length + Object.keys(targets).length > 0;
      return current === refusing && isUsed ? open() : current;
    },
    use(messages) {
      current = messages;
    },
    [Symbol.asyncDispose]: async () => current[Symbol.asyncDispose](),
  };
}

/** The rules for outgoing connections in effect. */
export interface FollowedOutbound extends Outbound {
  /** Returns rules for this configuration: the ones in effect where they are the same. */
  of(config: OutboundConfig): Outbound;
  use(config: OutboundConfig, outbound: Outbound): void;
}

type OutboundConfig = Config["webhook"]["outbound"];

export function createFollowedOutbound(config: OutboundConfig): FollowedOutbound {
  let current = { config, outbound: createOutbound(config) };
  return {
    ...followOutbound(() => current.outbound),
    of: (wanted) =>
      JSON.stringify(wanted) === JSON.stringify(current.config) ? current.outbound : createOutbound(wanted),
    use(next, outbound) {
      current = { config: next, outbound };
    },
  };
}

export interface ChannelsPorts {
  /** The channels in effect, for all that look them up. */
  readonly channels: Map<string, Channel>;
  readonly messages: FollowedMessages;
  readonly outbound: FollowedOutbound;
  readonly metrics: Pick<WebhookMetrics, "configure">;
  readonly refused: Pick<RefusedRequests, "hideNewSecrets">;
}

interface ChannelsPart extends ReloadablePart {
  prepare(config: Config): Promise<Prepared>;
}

/** Creates the part that changes channels and targets, also those of the start. */
export function createChannelsPart(ports: ChannelsPorts): ChannelsPart {
  const { messages, metrics, refused } = ports;
  return {
    name: "webhooks",
    dependsOn: inboxPlace,
    async prepare(config) {
      await using unused = new AsyncDisposableStack();
      const { webhook } = config;
      const channels = compileChannels(webhook.channels, (file) => readFileSync(file, "utf8"));
      const outbound = ports.outbound.of(webhook.outbound);
      const opened = await messages.open(config);
      if (opened !== messages.current()) unused.use(opened);
      const prepared = opened.prepare({ webhook, channels, outbound });
      const stack = unused.move();
      return {
        apply() {
          ports.channels.clear();
          for (const [name, channel] of channels) ports.channels.set(name, channel);
          refused.hideNewSecrets();
          metrics.configure({ channels: [...channels.keys()], targets: Object.keys(webhook.targets) });
          ports.outbound.use(webhook.outbound, outbound);
          messages.use(opened);
          prepared.apply();
        },
        async discard() {
          await prepared.discard?.();
          await stack.disposeAsync();
        },
      };
    },
  };
}

/** Where messages are stored. Channels must not accept any at a place that the next start does not read. */
const inboxPlace = [
  ["data"],
  ["stores", "driver"],
  ["webhook", "inbox", "driver"],
  ["webhook", "inbox", "file"],
  ["webhook", "inbox", "url"],
  ["webhook", "inbox", "schema"],
];
