import { createSecretKey } from "node:crypto";
import { defaultSignatureHeader, signBody } from "../../../../base/net/signature.ts";
import type { Channel } from "../../../../gen/engage/channel/v1/channel_pb.ts";
import { deliveryDefaults } from "../../channels/settings.ts";
import type { Validation } from "../../verdict/verdict.ts";
import type { RetryRule } from "./outcome.ts";

/** How the requests of a channel are made. */
export interface SendPlan extends RetryRule {
  readonly url: string;
  readonly validation: Validation;
  /** 0: none. */
  readonly timeoutMs: number;
  /** Requests in a second; -1: no limit. */
  readonly rateLimit: number;
  /** Headers of a request with this body, its signature among them. */
  headers(body: Uint8Array): Readonly<Record<string, string>>;
}

/** @param channel with its secrets */
export function compileSendPlan(channel: Channel): SendPlan {
  const { authentication, customHeaders, delivery, url } = channel;
  const fixed = {
    ...Object.fromEntries(customHeaders.map(({ name, value }) => [name, value])),
    "content-type": "application/json",
  };
  const key = authentication && createSecretKey(authentication.secret, "utf8");
  const header = authentication?.headerName || defaultSignatureHeader;
  const seconds = delivery?.retryIntervalSeconds ?? deliveryDefaults.retryIntervalSeconds;
  return {
    url,
    validation: (delivery?.strictValidation ?? deliveryDefaults.strictValidation) ? "strict" : "lenient",
    timeoutMs: (delivery?.timeoutSeconds ?? deliveryDefaults.timeoutSeconds) * 1_000,
    rateLimit: delivery?.rateLimit ?? deliveryDefaults.rateLimit,
    retries: delivery?.retries ?? deliveryDefaults.retries,
    retryIntervalMs: seconds * 1_000,
    headers: (body) => (key === undefined ? fixed : { ...fixed, [header]: signBody(key, body) }),
  };
}
