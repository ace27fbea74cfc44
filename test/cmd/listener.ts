import { onTestFinished } from "vitest";
import { type ListenerOptions, openListener } from "../../cmd/listen/server.ts";
import type { SeenRequest } from "../../services/webhook/inspect/inspect.ts";
import type { OnEnd } from "../open-for-all.ts";

export const secret = "a secret of the test";

/** A listener that is closed when the test ends, or by the function that `onEnd` gets, and what it has seen. */
export async function listen(
  options: Partial<ListenerOptions> = {},
  onEnd: OnEnd = onTestFinished,
): Promise<{ readonly url: string; readonly seen: readonly SeenRequest[] }> {
  const seen: SeenRequest[] = [];
  const listener = await openListener({
    port: 0,
    secret,
    headerName: "X-SVC-OPS-Signature",
    delayMs: 0,
    exchange: undefined,
    response: { fail: [], returnCode: 0, status: 200, isEmpty: false },
    onSeen: (one) => seen.push(one),
    ...options,
  });
  onEnd(() => listener[Symbol.asyncDispose]());
  return { url: listener.url, seen };
}
