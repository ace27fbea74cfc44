/** Queries, loads, rewriting of days and exports of the store each hold one thread; the rest is for files and names of hosts. */
const threads = 16;

/**
 * Makes libuv's pool large enough that queries of the store don't keep file
 * operations waiting: with its four threads, six heavy queries held one up for
 * seconds. To be called before anything asynchronous, when the pool is made.
 */
export function sizeThreadPool(): void {
  process.env["UV_THREADPOOL_SIZE"] ??= String(threads);
}
