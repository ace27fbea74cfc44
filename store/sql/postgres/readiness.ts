/** After a check that failed, calls within this time get its error. */
const pauseMs = 500;

/**
 * Runs a check until it has passed once; calls at the same time share it. The
 * function answers undefined from then on, so that nothing has to wait for it.
 */
export function createReadiness(check: () => Promise<void>): () => Promise<void> | undefined {
  let isReady = false;
  let running: Promise<void> | undefined;
  let failed: { readonly error: unknown; readonly atMs: number } | undefined;
  const run = async (): Promise<void> => {
    try {
      await check();
      isReady = true;
    } catch (error) {
      failed = { error, atMs: performance.now() };
      throw error;
    } finally {
      running = undefined;
    }
  };
  return () => {
    if (isReady) return undefined;
    if (failed !== undefined && performance.now() - failed.atMs < pauseMs)
      return Promise.reject(failed.error);
    running ??= run();
    return running;
  };
}
