/**
 * Looks whether a part of the server can do its work. Resolves to nothing when
 * it can and to the reason when it can't; the reason is shown to the public. A
 * check that throws, or has not answered when the signal aborts, has failed.
 */
export type ReadyCheck = (signal: AbortSignal) => string | undefined | Promise<string | undefined>;

export type CheckResults = Readonly<Record<string, string>>;

/** Orchestrators give a probe one second or more; leave room for the answer. */
const defaultTimeoutMs = 900;

/** Runs all checks at the same time: "ok" or the reason, by name. */
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
    signal.addEventListener("abort", () => resolve(`no answer within ${timeoutMs} ms`), { once: true });
  });
  // What was thrown stays inside: it may tell of hosts, paths or accounts.
  const outcome = (async () => (await check(signal)) ?? "ok")().catch(() => "the check failed");
  return await Promise.race([outcome, late]);
}
