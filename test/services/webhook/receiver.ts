import { createHmac } from "node:crypto";
import { type Channel, compileChannels } from "../../../services/webhook/channels.ts";
import { channelSchema } from "../../../services/webhook/config.ts";
import { createExplainer } from "../../../services/webhook/explain/explainer.ts";
import {
  createReceiver,
  type Receive,
  type ReceiverOptions,
} from "../../../services/webhook/receive/receive.ts";
import type { Refusal } from "../../../services/webhook/receive/refusal.ts";
import { createMemoryInbox, type MemoryInbox } from "./memory-inbox.ts";

export const secretText = "demo-key";
export const nowMs = Date.parse("2026-01-02T03:04:05Z");

export function sign(body: Uint8Array, secret: string = secretText): string {
  return createHmac("sha1", secret).update(body).digest("hex");
}

export interface ReceiverRig {
  readonly receive: Receive;
  readonly inbox: MemoryInbox;
  readonly channels: ReadonlyMap<string, Channel>;
  /** The calls of the observer, in order. */
  readonly events: readonly (readonly [name: string, ...details: unknown[]])[];
  /** Sends a signed body and gives the reply's text, or the refusal. */
  send(body: Buffer | string, channel?: string): Promise<string | Refusal>;
}

/** A receiver over a memory inbox; `demo` is signed and has one target unless `settings` say otherwise. */
export function createRig(
  settings: Record<string, unknown> = {},
  ports: Partial<ReceiverOptions> = {},
  inbox: MemoryInbox = createMemoryInbox(),
): ReceiverRig {
  const demo = channelSchema.parse({ secrets: [{ value: secretText }], targets: ["t1"], ...settings });
  const other = channelSchema.parse({ secrets: [{ value: secretText }] });
  const channels = compileChannels({ demo, other }, () => "user-1\nuser-2\n");
  const events: [string, ...unknown[]][] = [];
  const receive = createReceiver({
    channels,
    inbox,
    explain: createExplainer(
      () => [...channels.values()].flatMap(({ secrets }) => secrets ?? []),
      () => nowMs,
    ),
    deliverNow: () => Promise.resolve([]),
    now: () => nowMs,
    monotonicMs: () => nowMs,
    observer: {
      accepted: (...details) => events.push(["accepted", ...details]),
      repeated: (...details) => events.push(["repeated", ...details]),
      refused: (channel, { kind, detail }) => events.push(["refused", channel, kind, detail]),
      warned: (...details) => events.push(["warned", ...details]),
      failed: (channel, what) => events.push(["failed", channel, what]),
    },
    ...ports,
  });
  return {
    receive,
    inbox,
    channels,
    events,
    send(text, channel = "demo") {
      const body = Buffer.from(text as string);
      const headers = new Headers({ "x-svc-ops-signature": sign(body) });
      return receive({ channel, body, headers }).then(
        (reply) => Buffer.from(reply).toString(),
        (refusal: Refusal) => refusal,
      );
    },
  };
}
