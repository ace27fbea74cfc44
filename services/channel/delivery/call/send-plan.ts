import { createSecretKey } from "node:crypto";
import { ownHeaders } from "../../../../base/net/http-client.ts";
import { defaultSignatureHeader, signBody } from "../../../../base/net/signature.ts";
import { compileMask, type Mask } from "../../../../base/text/mask-secrets.ts";
import type { Channel } from "../../../../gen/engage/channel/v1/channel_pb.ts";
import { deliveryDefaults } from "../../channels/settings.ts";
import type { Validation } from "../../judge-reply/judge-reply.ts";
import type { RetryRule } from "./outcome.ts";

/** How to send the requests of a channel. */
export interface SendPlan extends RetryRule {
  readonly url: string;
  readonly validation: Validation;
  /** 0: no timeout. */
  readonly timeoutMs: number;
  /** Requests per second; -1: no limit. */
  readonly rateLimit: number;
  /** Returns the headers of a request with this body, including its signature. */
  headers(body: Uint8Array): Readonly<Record<string, string>>;
  /** Masks the secrets of the channel in what the receiver sends back. */
  readonly mask: Mask;
}

/** @param channel with its secrets */
export function compileSendPlan(channel: Channel): SendPlan {
  const { authentication, customHeaders, delivery, url } = channel;
  const custom = Object.fromEntries(customHeaders.map(({ name, value }) => [name, value]));
  const key = authentication && createSecretKey(authentication.secret, "utf8");
  const header = authentication?.headerName || defaultSignatureHeader;
  const given = key === undefined ? custom : { ...custom, [header]: "" };
  const fixed = { ...ownHeaders(given), ...custom, "content-type": "application/json" };
  const seconds = delivery?.retryIntervalSeconds ?? deliveryDefaults.retryIntervalSeconds;
  return {
    url,
    validation: (delivery?.strictValidation ?? deliveryDefaults.strictValidation) ? "strict" : "lenient",
    timeoutMs: (delivery?.timeoutSeconds ?? deliveryDefaults.timeoutSeconds) * 1_000,
    rateLimit: delivery?.rateLimit ?? deliveryDefaults.rateLimit,
    retries: delivery?.retries ?? deliveryDefaults.retries,
    retryIntervalMs: seconds * 1_000,
    headers: (body) => (key === undefined ? fixed : { ...fixed, [header]: signBody(key, body) }),
    mask: compileMask([authentication?.secret ?? "", ...customHeaders.map(({ value }) => value)]),
  };
}
