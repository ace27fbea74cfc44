/**
 * Checks whether a part of the server works. Resolves to undefined if it does,
 * else to the reason, which is public. The server stays ready with a reason that
 * begins with `degraded: `. A check fails if it throws or has not
 * resolved when the signal aborts.
 */
export type ReadyCheck = (signal: AbortSignal) => string | undefined | Promise<string | undefined>;

/** Begins the reason of a part without which the server still does what cannot wait. */
export const degraded = "degraded: ";

/** Reports whether the server is ready with this result. */
export function isReadyWith(result: string): boolean {
  return result === "ok" || result.startsWith(degraded);
}

export type CheckResults = Readonly<Record<string, string>>;

/** Orchestrators give a probe at least one second, of which the response needs some. */
const defaultTimeoutMs = 900;

/** Runs all checks at the same time; returns "ok" or the reason by name. */
export async function runChecks(
  checks: Readonly<Record<string, ReadyCheck>>,
  timeoutMs = defaultTimeoutMs,
): Promise<CheckResults> {
  const signal = AbortSignal.timeout(timeoutMs);
  const results = Object.entries(checks).map(
    async ([name, check]) => [name, await runCheck(check, signal, timeoutMs)] as const,
  );
  return Object.fromEntries(await Promise.all(results));
}

async function runCheck(check: ReadyCheck, signal: AbortSignal, timeoutMs: number): Promise<string> {
  const late = new Promise<string>((resolve) => {
    signal.addEventListener("abort", () => resolve(`no response within ${timeoutMs} ms`), { once: true });
  });
  // What was thrown is not shown: it may contain hosts, paths or accounts.
  const outcome = (async () => (await check(signal)) ?? "ok")().catch(() => "the check failed");
  return await Promise.race([outcome, late]);
}
