/**
 * The number of threads. Queries, loads, rewriting of days and exports of the store use one each; files and DNS use the
 * rest.
 */
const threads = 16;

/**
 * Increases libuv's thread pool, so that queries of the store do not block file operations: with the default of four
 * threads, six heavy queries delayed one for seconds. Must be called before the first asynchronous operation, which
 * creates the pool.
 */
export function sizeThreadPool(): void {
  process.env["UV_THREADPOOL_SIZE"] ??= String(threads);
}
