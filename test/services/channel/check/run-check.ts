import { randomUUID } from "node:crypto";
import { createOutbound } from "../../../../base/net/outbound.ts";
import {
  type CheckOptions,
  checkReceiver,
  type ProbeResult,
} from "../../../../services/channel/check/check.ts";
import { createExchange, maxReceiverResponseBytes } from "../../../../services/channel/exchange/exchange.ts";
import { secondSecret, secret } from "./receiver.ts";

/** Checks what listens at a URL on this machine. */
export async function runCheck(
  url: string,
  options: Partial<CheckOptions> = {},
): Promise<readonly ProbeResult[]> {
  using open = createExchange({
    url,
    maxConnections: 32,
    maxResponseBytes: maxReceiverResponseBytes,
    outbound: createOutbound({ allow: ["127.0.0.0/8"] }),
  });
  return await checkReceiver({
    exchange: open.exchange,
    secret,
    secondSecret,
    signatureHeader: "X-SVC-OPS-Signature",
    headers: {},
    projectId: 1,
    knownBadPushId: undefined,
    timeoutMs: 20_000,
    slowBodyMs: 300,
    skip: [],
    throughput: { perSecond: 40, requests: 100, maxMs: 3_000, concurrency: 32 },
    monotonicMs: () => performance.now(),
    randomId: randomUUID,
    signal: new AbortController().signal,
    ...options,
  });
}

/** Ids of the rules that a receiver breaks; what is only worth knowing is left out. */
export function brokenRules(results: readonly ProbeResult[]): readonly string[] {
  return results
    .filter(({ outcome, severity }) => outcome === "failed" && severity !== "info")
    .map(({ id }) => id);
}
