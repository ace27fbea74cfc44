import { setTimeout as sleep } from "node:timers/promises";
import { backoffMs } from "../../../base/async/backoff.ts";
import type { RateShareRequest, Share } from "../../../base/async/rate-shares.ts";
import { errorMessage } from "../../../base/text/system-error.ts";
import type { ArgumentsOf, NameIn, OutcomeOf } from "../../sql/operations.ts";
import { checkAfterMs, checkShareRequest, decodeShare, encodeShare } from "../../sql/shares.ts";
import { newKey } from "../../sql/values.ts";
import { decodeBatchId, decodeToken } from "../ids.ts";
import type * as port from "../inbox.ts";
import { InboxUnavailableError } from "../inbox.ts";
import { type StoredBatch, toStoredBatch } from "../stored-batch.ts";
import { AttemptBuffer } from "./attempt-buffer.ts";
import { checkLeaseMs, checkLeasing, checkNonce, checkPage } from "./checks.ts";
import type { InboxExecutor, SqlInboxOptions } from "./options.ts";
import { toWorkItems } from "./rows/work-items.ts";
import type { InboxOperations } from "./sql.ts";

const defaultMaxLeaseBytes = 33_554_432;

/** The interval of polls in `awaitReply`: short at first, since most replies come within a second. */
const pollDelays = { minDelayMs: 10, maxDelayMs: 250 };

/**
 * A failed accept makes the inbox unhealthy for this time; then an accept may be tried again, since
 * nothing else shows the recovery.
 */
const failureMs = 10_000;

/** The inbox over any database which runs the operations. */
export class SqlInbox implements port.Inbox {
  readonly #executor: InboxExecutor;
  readonly #options: SqlInboxOptions;
  readonly #listeners = new Set<(target: string) => void>();
  /** Attempts are left out while the disk is nearly full. */
  readonly #attempts = new AttemptBuffer(async (rows) => {
    this.#executor.admit(0);
    await this.#call("addAttempts", [rows], undefined);
  });
  #queuedBytes = 0;
  #failure: { readonly message: string; readonly atMs: number } | null = null;

  constructor(executor: InboxExecutor, options: SqlInboxOptions) {
    this.#executor = executor;
    this.#options = options;
  }

  async accept(batch: port.NewBatch, options?: port.CallOptions): Promise<port.AcceptResult> {
    const preparing = this.#options.prepare?.();
    if (preparing !== undefined) await preparing;
    const nowMs = this.clockMs();
    const wallMs = this.#options.now();
    const stored = toStoredBatch(batch, { wallMs, nowMs, claimMs: this.#options.retention().claimMs });
    this.#admit(batch.body.length);
    const result = await this.#store(stored, options);
    if (result.kind === "stored" && batch.reply !== null) {
      for (const { target, count } of stored.routes) if (count > 0) this.#notify([target]);
    }
    return result;
  }

  async awaitReply(batchId: string, waitMs: number, options?: port.CallOptions): Promise<Uint8Array | null> {
    const key = decodeBatchId(batchId);
    if (key === null) return null;
    const endMs = performance.now() + waitMs;
    for (let poll = 1; ; poll++) {
      const { reply, isInFlight } = await this.#call("replyOf", [key], options);
      const leftMs = endMs - performance.now();
      if (reply !== null || !isInFlight || leftMs <= 0) return reply;
      await sleep(Math.min(backoffMs(poll, pollDelays), leftMs), undefined, { signal: options?.signal });
    }
  }

  async complete(
    batchId: string,
    completion: port.Completion,
    options?: port.CallOptions,
  ): Promise<port.FinishResult> {
    const key = decodeBatchId(batchId);
    if (key === null) return { kind: "stale" };
    const { result, wake } = await this.#call("complete", [key, completion, this.#options.now()], options);
    if (result.kind === "finished") {
      for (const { target, attempts } of completion.results ?? []) {
        this.#attempts.add({ batchSeq: key.seq, target, attempt: 1 }, attempts);
      }
    }
    this.#notify(wake);
    return result;
  }

  async release(batchId: string, options?: port.CallOptions): Promise<port.FinishResult> {
    const key = decodeBatchId(batchId);
    if (key === null) return { kind: "stale" };
    return (await this.#call("release", [key], options)).result;
  }

  async lease(request: port.LeaseRequest, options?: port.CallOptions): Promise<port.LeaseResult> {
    checkLeasing(request);
    const { maxBytes = defaultMaxLeaseBytes, holder = "process" } = request;
    const leaseKey = newKey();
    const leasing = { ...request, maxBytes, holder, leaseKey, wallMs: this.#options.now() };
    const rows = await this.#call("lease", [leasing], options);
    return { items: toWorkItems(rows, leaseKey), nextDueAtMs: rows.nextDueAtMs };
  }

  async begin(calls: readonly port.BegunCall[], options?: port.CallOptions): Promise<readonly boolean[]> {
    const keys = calls.map(({ token, indexes }) => ({ key: decodeToken(token), indexes }));
    const known = keys.flatMap(({ key, indexes }) => (key === null ? [] : [{ ...key, indexes }]));
    const held = known.length === 0 ? [] : await this.#call("begin", [known], options);
    const taken = held.values();
    return keys.map(({ key }) => key !== null && taken.next().value === true);
  }

  async extend(token: string, leaseMs: number, options?: port.CallOptions): Promise<port.ExtendResult> {
    checkLeaseMs(leaseMs);
    const key = decodeToken(token);
    const untilMs = key === null ? null : await this.#call("extend", [key, leaseMs], options);
    return untilMs === null ? { kind: "stale" } : { kind: "extended", untilMs };
  }

  async settle(
    token: string,
    outcomes: readonly port.ElementOutcome[],
    options?: port.CallOptions & { readonly attempts?: readonly port.AttemptRecord[] },
  ): Promise<port.SettleResult> {
    const key = decodeToken(token);
    if (key === null) return { kind: "stale" };
    const { result, wake, item } = await this.#call("settle", [key, outcomes, this.#options.now()], options);
    if (item !== null) this.#attempts.add(item, options?.attempts);
    this.#notify(wake);
    return result;
  }

  async shareRate(target: string, request: RateShareRequest, options?: port.CallOptions): Promise<Share> {
    checkShareRequest(request);
    const { token, ...sharing } = request;
    const key = token === undefined ? newKey() : decodeShare(token);
    const share = await this.#call("shareRate", [{ ...sharing, target, key }], options);
    return { ...share, token: encodeShare(key) };
  }

  async leaveRate(target: string, token: string, afterMs: number, options?: port.CallOptions): Promise<void> {
    checkAfterMs(afterMs);
    await this.#call("leaveRate", [{ target, key: decodeShare(token) }, afterMs], options);
  }

  async deadLetters(
    filter: port.DeadLetterFilter,
    page: port.OrderedPageRequest,
    options?: port.CallOptions,
  ): Promise<port.Page<port.DeadLetter>> {
    checkPage(page);
    return await this.#call("listDeadLetters", [filter, page], options);
  }

  async deadLetterGroups(options?: port.CallOptions): Promise<port.DeadLetterGroups> {
    return await this.#call("groupDeadLetters", [], options);
  }

  async replay(
    filter: port.DeadLetterFilter,
    request: port.ReplayRequest,
    options?: port.CallOptions,
  ): Promise<port.ReplayResult> {
    checkNonce(request.nonce);
    if (request.limit !== undefined) checkPage({ limit: request.limit });
    await this.#attempts.flush();
    const { result, wake } = await this.#call("replay", [filter, request], options);
    this.#notify(wake);
    return result;
  }

  async batches(
    filter: port.BatchFilter,
    page: port.PageRequest,
    options?: port.CallOptions,
  ): Promise<port.Page<port.ReceivedBatch>> {
    checkPage(page);
    return await this.#call("listBatches", [filter, page], options);
  }

  async batch(batchId: string, options?: port.CallOptions): Promise<port.BatchDetail | null> {
    await this.#attempts.flush();
    const found = await this.#call("findBatch", [batchId], options);
    if (found === null) return null;
    return { ...found, deliveries: found.deliveries.map((delivery) => this.#toDisplay(delivery)) };
  }

  async deliveries(
    filter: port.DeliveryFilter,
    page: port.PageRequest,
    options?: port.CallOptions,
  ): Promise<port.Page<port.Delivery>> {
    checkPage(page);
    const { items, next } = await this.#call("listDeliveries", [filter, page], options);
    return { items: items.map((item) => this.#toDisplay(item)), next };
  }

  async delivery(deliveryId: string, options?: port.CallOptions): Promise<port.DeliveryDetail | null> {
    await this.#attempts.flush();
    const found = await this.#call("findDelivery", [deliveryId], options);
    return found && this.#toDisplay(found);
  }

  async counts(options?: port.CallOptions & { readonly recount?: boolean }): Promise<readonly port.Counts[]> {
    return await this.#call("counts", [options?.recount ?? false], options);
  }

  async prune(options?: port.CallOptions): Promise<port.PruneResult> {
    // On a full disk pruning continues, and the clock is saved another time.
    await this.#options.saveClock?.().catch(() => {});
    return (await this.#call("prune", [this.#options.retention()], options)).result;
  }

  clockMs(): number {
    return this.#options.clockMs();
  }

  async health(options?: port.CallOptions): Promise<port.InboxHealth> {
    try {
      const acceptedAtMs = await this.#call("oldestPending", [], options);
      const sizes = await this.#executor.measure(options?.signal);
      const oldestPendingMs = acceptedAtMs === null ? null : Math.max(0, this.clockMs() - acceptedAtMs);
      return { ...sizes, oldestPendingMs, ...this.#writable() };
    } catch (error) {
      options?.signal?.throwIfAborted();
      const reason = errorMessage(error);
      return { writable: false, reason, oldestPendingMs: null, usedBytes: null, freeBytes: null };
    }
  }

  onWork(listener: (target: string) => void): Disposable {
    // The same function given twice is two listeners, each with its own disposal.
    const own = (target: string): void => listener(target);
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => this.#listeners.delete(own) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    await this.#attempts[Symbol.asyncDispose]();
    await this.#executor[Symbol.asyncDispose]();
  }

  async #call<N extends NameIn<InboxOperations>>(
    name: N,
    args: ArgumentsOf<InboxOperations, N>,
    options: port.CallOptions | undefined,
  ): Promise<OutcomeOf<InboxOperations, N>> {
    const preparing = this.#options.prepare?.();
    if (preparing !== undefined) await preparing;
    options?.signal?.throwIfAborted();
    return await this.#executor.call(name, this.clockMs(), args, options?.signal);
  }

  /** Converts the times of a delivery to the computer's clock. */
  #toDisplay<T extends port.Delivery>(delivery: T): T {
    const { dueAtMs } = delivery;
    if (dueAtMs === null) return delivery;
    return { ...delivery, dueAtMs: dueAtMs + this.#options.now() - this.clockMs() };
  }

  /** Stores a batch; tracks the bytes in flight and the last failure. */
  async #store(batch: StoredBatch, options: port.CallOptions | undefined): Promise<port.AcceptResult> {
    this.#queuedBytes += batch.body.length;
    try {
      const result = await this.#call("accept", [batch], options);
      this.#failure = null;
      return result;
    } catch (error) {
      if (error instanceof InboxUnavailableError) {
        this.#failure = { message: error.message, atMs: performance.now() };
      }
      throw error;
    } finally {
      this.#queuedBytes -= batch.body.length;
    }
  }

  #admit(bodyBytes: number): void {
    this.#executor.admit(bodyBytes);
    const bytes = this.#queuedBytes;
    if (bytes === 0 || bytes + bodyBytes <= this.#options.maxQueuedBytes) return;
    throw new InboxUnavailableError(`inbox: ${bytes} bytes already wait to be written`);
  }

  #writable(): Pick<port.InboxHealth, "writable" | "reason"> {
    const { message, atMs } = this.#failure ?? { message: "", atMs: Number.NEGATIVE_INFINITY };
    if (performance.now() - atMs < failureMs) return { writable: false, reason: message };
    try {
      this.#admit(0);
      return { writable: true, reason: null };
    } catch (error) {
      return { writable: false, reason: errorMessage(error) };
    }
  }

  #notify(targets: readonly string[]): void {
    for (const target of targets) for (const listener of this.#listeners) listener(target);
  }
}
