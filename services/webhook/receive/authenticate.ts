import type { BatchAuth } from "../../../store/inbox/inbox.ts";
import type { Channel } from "../channels.ts";
import type { Explain } from "../explain/explainer.ts";
import { Refusal } from "./refusal.ts";
import { findWrongHeader } from "./required-headers.ts";
import { verifySignature } from "./signature.ts";

/**
 * Checks the headers of an HTTP call before its body is read. Returns the given signatures.
 * @throws Refusal of kind `unauthenticated`
 */
export function checkHeaders(channel: Channel, headers: Pick<Headers, "get">): readonly string[] {
  const wrong = findWrongHeader(headers, channel.requiredHeaders);
  if (wrong !== undefined) throw new Refusal("unauthenticated", `header "${wrong}" is missing or wrong`);
  const { secrets, signatureHeaders } = channel;
  if (secrets === undefined) return [];
  const given = signatureHeaders.map((name) => headers.get(name)).filter((value) => value !== null);
  if (given.length > 0) return given;
  const names = signatureHeaders.map((name) => `"${name}"`).join(", ");
  throw new Refusal("unauthenticated", `signature is missing, valid headers are ${names}`);
}

/** A call whose signature is checked. */
export interface SignedCall {
  readonly headers: Pick<Headers, "get">;
  readonly body: Uint8Array;
  /** The body before its content encoding was decoded; for the explanation. */
  readonly encoded?: Uint8Array | undefined;
}

/**
 * Checks the headers and the signature of an HTTP call. Returns how it was authenticated.
 * @throws Refusal of kind `unauthenticated`
 */
export function authenticate(
  channel: Channel,
  { headers, body, encoded }: SignedCall,
  nowMs: number,
  explain: Explain,
): BatchAuth {
  const given = checkHeaders(channel, headers);
  if (channel.secrets === undefined) return { scheme: "none" };
  const verdict = verifySignature(body, given, channel.secrets, nowMs);
  if (verdict.kind === "match") {
    const { value } = verdict;
    const header = channel.signatureHeaders.find((name) => headers.get(name)?.trim() === value);
    return { scheme: "hmac-sha1", header: header ?? "", value };
  }
  const detail = explain({ channel: channel.name, body, encoded, given, nowMs });
  throw new Refusal("unauthenticated", "signature mismatch", detail === undefined ? {} : { detail });
}
