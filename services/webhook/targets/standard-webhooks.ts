import { createHash, createHmac } from "node:crypto";
import type { HandedBatch } from "./target.ts";

const prefix = "whsec_";

/**
 * Decodes the key of a secret of Standard Webhooks: `whsec_` and base64 of 24 to 64 bytes. Returns undefined for other
 * texts.
 */
export function decodeSecret(secret: string): Buffer | undefined {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : "";
  const key = Buffer.from(text, "base64");
  const isCanonical = key.toString("base64").replace(/=+$/, "") === text.replace(/=+$/, "");
  return isCanonical && key.length >= 24 && key.length <= 64 ? key : undefined;
}

/**
 * Returns the signature headers of Standard Webhooks (https://www.standardwebhooks.com): one signature for each key, so
 * that the receiver can change its secret without a gap.
 */
export function signHeaders(
  keys: readonly Uint8Array[],
  id: string,
  nowMs: number,
  body: Uint8Array,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signatures = keys.map((key) => {
    const mac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
    return `v1,${mac}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

/**
 * Returns the id of a request for deduplication: the same in each attempt, another one in each replay. It has no dot,
 * which separates the parts of the signed text.
 */
export function messageId({ batchId, target, replay, elements }: HandedBatch): string {
  const [first] = elements;
  const indexes = elements.map(({ index }) => index);
  const what = indexes.length === 1 ? first!.deliveryId : `${batchId}.${digest(indexes.join())}.${target}`;
  const again = replay === null ? "" : `_${digest(replay)}`;
  return `msg_${what.replaceAll(/[^A-Za-z0-9_-]/g, "_")}${again}`;
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
