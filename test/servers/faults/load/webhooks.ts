import { setTimeout as sleep } from "node:timers/promises";
import { batchOf, type SignedBatch } from "../../webhook/batches.ts";
import type { Cluster } from "../cluster.ts";
import { attempt } from "./attempt.ts";

/** Webhook batches which senders repeat until they have a reply. */
export interface WebhooksLoad {
  /** The number of batches with a reply. */
  readonly replied: number;
  readonly ended: Promise<void>;
  /** Sends all batches to both replicas once more; returns the request ids which have several replies. */
  findOtherReplies(): Promise<readonly string[]>;
}

const senders = 2;
const pauseMs = 40;
const repeatedPart = 0.2;
const maxMessages = 12;

export function sendWebhooks(
  { replicas, sentPushIds }: Pick<Cluster, "replicas" | "sentPushIds">,
  name: string,
  random: () => number,
  stop: AbortSignal,
): WebhooksLoad {
  const batches = new Map<string, SignedBatch>();
  const replies = new Map<string, Set<string>>();
  async function sendUntilReplied(requestId: string, first: number): Promise<void> {
    const { body, headers } = batches.get(requestId)!;
    for (let at = first; ; at++) {
      const given = { body: new Uint8Array(body), headers };
      const answer = await attempt(replicas[at % 2]!, "/webhook/demo", given);
      if (answer?.status === 200) return void replies.get(requestId)!.add(answer.text);
      await sleep(pauseMs);
    }
  }
  async function send(): Promise<void> {
    while (!stop.aborted) {
      const requestId = `${name}-${batches.size}`;
      // Messages without a push id are refused, so that replies differ.
      const pushIds = Array.from({ length: 1 + Math.floor(random() * maxMessages) }, (_, at) =>
        random() < 0.2 ? "" : `${requestId}-${at}`,
      );
      for (const pushId of pushIds) if (pushId !== "") sentPushIds.add(pushId);
      batches.set(requestId, batchOf(pushIds, requestId));
      replies.set(requestId, new Set());
      await sendUntilReplied(requestId, random() < 0.5 ? 0 : 1);
      if (random() < repeatedPart) await sendUntilReplied(requestId, random() < 0.5 ? 0 : 1);
      await sleep(pauseMs);
    }
  }
  const ended = Promise.all(Array.from({ length: senders }, send)).then(() => {});
  return {
    get replied() {
      return [...replies.values()].filter((own) => own.size > 0).length;
    },
    ended,
    async findOtherReplies() {
      for (const requestId of batches.keys()) for (const at of [0, 1]) await sendUntilReplied(requestId, at);
      return [...replies].flatMap(([requestId, own]) => (own.size === 1 ? [] : [requestId]));
    },
  };
}
