import { systemClock } from "../../../base/async/clock.ts";
import { type Outbound, OutboundRefusedError } from "../../../base/net/outbound.ts";

/** A name server that takes longer does not prevent saving a channel. */
const lookupMs = 2_000;

/**
 * Returns why the rules for outbound addresses refuse calls of a URL; undefined when they allow them. A name without
 * an address is allowed, since it may have one when the first call is made.
 */
export async function findRefusedAddress(
  outbound: Outbound,
  url: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const done = new AbortController();
  try {
    const found = outbound.resolve(host, Number(port) || (protocol === "https:" ? 443 : 80));
    await Promise.race([found, systemClock.wait(lookupMs, AbortSignal.any([signal, done.signal]))]);
    return undefined;
  } catch (error) {
    return error instanceof OutboundRefusedError ? error.message : undefined;
  } finally {
    done.abort();
  }
}
