import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Share, ShareAsked } from "../../../base/async/rate-shares.ts";
import { wordError } from "../../../base/text/system-error.ts";
import type { ArgumentsOf, Executor, NameIn, OutcomeOf } from "../../sql/operations.ts";
import { checkAfterMs, checkShareAsked, decodeShare, encodeShare } from "../../sql/shares.ts";
import { decodeBatchId, decodeToken } from "../ids.ts";
import type * as port from "../inbox.ts";
import { InboxUnavailableError } from "../inbox.ts";
import { type StoredBatch, toStoredBatch } from "../stored-batch.ts";
import { checkLeaseMs, checkLeasing, checkNonce, checkPage } from "./checks.ts";
import type { InboxOperations } from "./operations.ts";
import { toWorkItems } from "./rows/work-items.ts";

export interface InboxExecutor extends Executor<InboxOperations> {
  /** @throws InboxFullError when there is no room for a body of that size. */
  admit(bodyBytes: number): void;
  /** Sizes; rejects when the store is away. */
  measure(signal: AbortSignal | undefined): Promise<Pick<port.InboxHealth, "usedBytes" | "freeBytes">>;
}

export interface SqlInboxOptions {
  readonly retention: port.InboxRetention;
  /** Milliseconds since 1970, of times that are shown. */
  readonly now: () => number;
  /** Of leases, waits, ages and retention. */
  readonly clockMs: () => number;
  /** Resolves when the store can be used; undefined when it can. */
  readonly prepare?: () => Promise<void> | undefined;
  /** Notes in the store how its clock stands; undefined where the database has a clock. */
  readonly saveClock?: () => Promise<unknown>;
  /** Bodies on their way to the store; more is refused, so that memory is bounded when it is slow. */
  readonly maxQueuedBytes: number;
}

export const defaultMaxQueuedBytes = 67_108_864;

const defaultMaxLeaseBytes = 33_554_432;

/** How often `awaitReply` looks: quickly at first, since most answers come within a second. */
const firstLookMs = 10;
const lastLookMs = 250;

/** For so long a failed accept makes the inbox unhealthy; then it may be tried again, since only that can show. */
const failureMs = 10_000;

/** The inbox over any database that runs the operations. */
export class SqlInbox implements port.Inbox {
  readonly #executor: InboxExecutor;
  readonly #options: SqlInboxOptions;
  readonly #listeners = new Set<(target: string) => void>();
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
    const stored = toStoredBatch(batch, { wallMs, nowMs, claimMs: this.#options.retention.claimMs });
    this.#admit(batch.body.length);
    const result = await this.#store(stored, options);
    if (result.kind === "stored" && batch.reply !== null) {
      this.#wake(stored.routes.flatMap(({ target, indexes }) => (indexes.length > 0 ? [target] : [])));
    }
    return result;
  }

  async awaitReply(batchId: string, waitMs: number, options?: port.CallOptions): Promise<Uint8Array | null> {
    const key = decodeBatchId(batchId);
    if (key === null) return null;
    const endMs = performance.now() + waitMs;
    for (let lookMs = firstLookMs; ; lookMs = Math.min(lookMs * 2, lastLookMs)) {
      const { reply, isInFlight } = await this.#call("replyOf", [key], options);
      const leftMs = endMs - performance.now();
      if (reply !== null || !isInFlight || leftMs <= 0) return reply;
      await sleep(Math.min(lookMs, leftMs), undefined, { signal: options?.signal });
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
    this.#wake(wake);
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
    const answers = held.values();
    return keys.map(({ key }) => key !== null && answers.next().value === true);
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
    options?: port.CallOptions,
  ): Promise<port.SettleResult> {
    const key = decodeToken(token);
    if (key === null) return { kind: "stale" };
    const { result, wake } = await this.#call("settle", [key, outcomes, this.#options.now()], options);
    this.#wake(wake);
    return result;
  }

  async shareRate(target: string, asked: ShareAsked, options?: port.CallOptions): Promise<Share> {
    checkShareAsked(asked);
    const { token, ...wish } = asked;
    const key = token === undefined ? newKey() : decodeShare(token);
    const share = await this.#call("shareRate", [{ ...wish, target, key }], options);
    return { ...share, token: encodeShare(key) };
  }

  async leaveRate(target: string, token: string, afterMs: number, options?: port.CallOptions): Promise<void> {
    checkAfterMs(afterMs);
    await this.#call("leaveRate", [{ target, key: decodeShare(token) }, afterMs], options);
  }

  async deadLetters(
    filter: port.DeadLetterFilter,
    page: port.PageRequest,
    options?: port.CallOptions,
  ): Promise<port.Page<port.DeadLetter>> {
    checkPage(page);
    return await this.#call("listDeadLetters", [filter, page], options);
  }

  async replay(
    filter: port.DeadLetterFilter,
    request: port.ReplayRequest,
    options?: port.CallOptions,
  ): Promise<port.ReplayResult> {
    checkNonce(request.nonce);
    const { result, wake } = await this.#call("replay", [filter, request], options);
    this.#wake(wake);
    return result;
  }

  async deliveries(
    filter: port.DeliveryFilter,
    page: port.PageRequest,
    options?: port.CallOptions,
  ): Promise<port.Page<port.Delivery>> {
    checkPage(page);
    const { items, next } = await this.#call("listDeliveries", [filter, page], options);
    return { items: items.map((item) => this.#shown(item)), next };
  }

  async delivery(deliveryId: string, options?: port.CallOptions): Promise<port.DeliveryDetail | null> {
    const found = await this.#call("findDelivery", [deliveryId], options);
    return found && this.#shown(found);
  }

  async counts(options?: port.CallOptions & { readonly recount?: boolean }): Promise<readonly port.Counts[]> {
    return await this.#call("counts", [options?.recount ?? false], options);
  }

  async prune(options?: port.CallOptions): Promise<port.PruneResult> {
    // On a full disk pruning goes on, and the clock is noted another time.
    await this.#options.saveClock?.().catch(() => {});
    return await this.#call("prune", [this.#options.retention], options);
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
      const reason = reasonOf(error);
      return { writable: false, reason, oldestPendingMs: null, usedBytes: null, freeBytes: null };
    }
  }

  onWork(listener: (target: string) => void): Disposable {
    // The same function given twice is two listeners, each with its own end.
    const own = (target: string): void => listener(target);
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => this.#listeners.delete(own) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
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

  /** With its times as the computer's clock has them. */
  #shown<T extends port.Delivery>(delivery: T): T {
    const { dueAtMs } = delivery;
    if (dueAtMs === null) return delivery;
    return { ...delivery, dueAtMs: dueAtMs + this.#options.now() - this.clockMs() };
  }

  /** Keeps account of what is on its way, and of how it ended. */
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
    throw new InboxUnavailableError(`inbox: ${bytes} bytes wait to be written, no more are taken`);
  }

  #writable(): Pick<port.InboxHealth, "writable" | "reason"> {
    const { message, atMs } = this.#failure ?? { message: "", atMs: Number.NEGATIVE_INFINITY };
    if (performance.now() - atMs < failureMs) return { writable: false, reason: message };
    try {
      this.#admit(0);
      return { writable: true, reason: null };
    } catch (error) {
      return { writable: false, reason: reasonOf(error) };
    }
  }

  #wake(targets: readonly string[]): void {
    for (const target of targets) for (const listener of this.#listeners) listener(target);
  }
}

function newKey(): number {
  return randomInt(1, 2 ** 48 - 1);
}

function reasonOf(error: unknown): string {
  return wordError(error);
}
