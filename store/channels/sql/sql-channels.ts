import { createSettledNow } from "../../../base/async/clock.ts";
import type { ArgumentsOf, Executor, NameIn, OutcomeOf } from "../../sql/operations.ts";
import { checkAfterMs, checkShareRequest, decodeShare, encodeShare } from "../../sql/shares.ts";
import { checkRange, newKey } from "../../sql/values.ts";
import type * as port from "../channels.ts";
import { compressPayloads } from "./compress-payloads.ts";
import { encodePreparation } from "./ids.ts";
import { toLeased } from "./leased-batches.ts";
import { toRows } from "./pages.ts";
import type { ChannelsOperations } from "./sql.ts";

export interface SqlChannelsOptions {
  /** The clock of schedules and displayed times. */
  readonly now: () => number;
  /** The clock of leases and due times. */
  readonly leaseNow: () => number;
  /** How long ended runs are kept. */
  readonly retentionMs: () => number;
}

const maxLeaseMs = 86_400_000;
const maxPage = 1_000;
/** A clock which was set counts for the deletion of old runs only after it has kept its new time for this long. */
const clockSettleMs = 3_600_000;

type Options = port.CallOptions | undefined;

/** The store over any database which runs the operations. */
export class SqlChannels implements port.ChannelStore {
  readonly #executor: Executor<ChannelsOperations>;
  readonly #options: SqlChannelsOptions;
  readonly #listeners = new Set<() => void>();

  /**
   * The time by which runs are deleted. A clock which was set forward deletes nothing: for a while by
   * `now`, for longer by the lease clock.
   */
  readonly #ageNow: () => number;

  constructor(executor: Executor<ChannelsOperations>, options: SqlChannelsOptions) {
    this.#executor = executor;
    this.#options = options;
    const { now, leaseNow } = options;
    const settledNow = createSettledNow({ now, monotonicMs: leaseNow }, clockSettleMs);
    this.#ageNow = () => Math.min(settledNow(), leaseNow());
  }

  async createChannel(channel: port.NewChannel, options?: Options): Promise<port.ChannelSaved> {
    return await this.#call("createChannel", [channel], options);
  }

  async channel(channelId: string, options?: Options): Promise<port.StoredChannel | null> {
    return await this.#call("findChannel", [channelId], options);
  }

  async channels(
    filter: { readonly projectId?: number },
    page: port.PageRequest,
    options?: Options,
  ): Promise<port.Page<port.StoredChannel>> {
    checkRange("limit", page.limit, 1, maxPage);
    return await this.#call("listChannels", [filter, page], options);
  }

  async updateChannel(
    channelId: string,
    version: number | undefined,
    channel: port.NewChannel,
    options?: Options,
  ): Promise<port.ChannelSaved> {
    return await this.#call("updateChannel", [channelId, version, channel], options);
  }

  async deleteChannel(
    channelId: string,
    version: number | undefined,
    options?: Options,
  ): Promise<port.ChannelDeleted> {
    return await this.#call("deleteChannel", [channelId, version], options);
  }

  async createTask(task: port.NewTask, options?: Options): Promise<port.TaskCreated> {
    return await this.#call("createTask", [task], options);
  }

  async task(taskId: string, options?: Options): Promise<port.StoredTask | null> {
    return await this.#call("findTask", [taskId], options);
  }

  async tasks(
    filter: port.TaskFilter,
    page: port.PageRequest,
    options?: Options,
  ): Promise<port.Page<port.StoredTask>> {
    checkRange("limit", page.limit, 1, maxPage);
    return await this.#call("listTasks", [filter, page], options);
  }

  async startRun(taskId: string, run: port.NewRun, options?: Options): Promise<port.RunStarted> {
    return this.#notifyAfter(await this.#call("startRun", [taskId, run], options));
  }

  async cancelTask(taskId: string, options?: Options): Promise<port.TaskCancelled> {
    return await this.#call("cancelTask", [taskId], options);
  }

  async dueTasks(
    limit: number,
    options?: Options,
  ): Promise<{ readonly due: readonly port.DueTask[]; readonly nextAtMs: number | null }> {
    checkRange("limit", limit, 1, maxPage);
    return await this.#call("dueTasks", [limit], options);
  }

  async claimDueTask(claim: port.DueClaim, options?: Options): Promise<port.DueClaimed> {
    return this.#notifyAfter(await this.#call("claimDueTask", [claim], options));
  }

  async run(runId: string, options?: Options): Promise<port.StoredRun | null> {
    return await this.#call("findRun", [runId], options);
  }

  async statistics(runId: string, options?: Options): Promise<port.RunStatistics | null> {
    return await this.#call("statistics", [runId], options);
  }

  async leasePreparation(
    owner: string,
    leaseMs: number,
    options?: Options,
  ): Promise<port.Preparation | null> {
    checkRange("leaseMs", leaseMs, 1, maxLeaseMs);
    const key = newKey();
    const untilMs = this.#options.leaseNow() + leaseMs;
    const run = await this.#call("leasePreparation", [{ owner, leaseMs, untilMs, key }], options);
    return run && { token: encodePreparation(run.seq, key), untilMs, run };
  }

  async extendPreparation(token: string, leaseMs: number, options?: Options): Promise<number | null> {
    checkRange("leaseMs", leaseMs, 1, maxLeaseMs);
    const untilMs = this.#options.leaseNow() + leaseMs;
    return await this.#call("extendPreparation", [token, untilMs], options);
  }

  async releasePreparation(token: string, afterMs: number, options?: Options): Promise<void> {
    checkRange("afterMs", afterMs, 0, maxLeaseMs);
    const fromMs = this.#options.leaseNow() + afterMs;
    await this.#call("releasePreparation", [token, fromMs], options);
    this.#notify();
  }

  async audience(runId: string, page: number, options?: Options): Promise<Uint8Array | null> {
    return await this.#call("readAudience", [runId, page], options);
  }

  async appendBatches(
    token: string,
    append: port.BatchesToAppend,
    options?: Options,
  ): Promise<{ readonly kind: "appended"; readonly run: port.StoredRun } | { readonly kind: "stale" }> {
    const { batches, ...rest } = append;
    const rows = toRows(await compressPayloads(batches));
    const stored = { ...rest, rows };
    const run = await this.#call("appendBatches", [token, stored, this.#options.leaseNow()], options);
    return run === null ? { kind: "stale" } : this.#notifyAfter({ kind: "appended", run });
  }

  async failRun(token: string, failure: string, options?: Options): Promise<boolean> {
    return await this.#call("failRun", [token, failure], options);
  }

  async busyChannels(options?: Options): Promise<readonly port.BusyChannel[]> {
    const rows = await this.#call("busyChannels", [], options);
    return rows.map(({ channelId, dueAtMs }) => ({ channelId, dueInMs: this.#untilDue(dueAtMs) }));
  }

  async leaseBatches(request: port.LeaseRequest, options?: Options): Promise<port.LeaseResult> {
    checkRange("maxBatches", request.maxBatches, 1, maxPage);
    checkRange("leaseMs", request.leaseMs, 1, maxLeaseMs);
    const leasing = { ...request, key: newKey(), atMs: this.#options.leaseNow() };
    const { rows, nextDueAtMs, ...found } = await this.#call("leaseBatches", [leasing], options);
    const batches = toLeased(rows, leasing.key, found.untilMs);
    const nextDueInMs = nextDueAtMs === null ? null : this.#untilDue(nextDueAtMs);
    return { batches, nextDueInMs, nextCount: found.nextCount };
  }

  async extendBatches(
    tokens: readonly string[],
    leaseMs: number,
    options?: Options,
  ): Promise<readonly string[]> {
    checkRange("leaseMs", leaseMs, 1, maxLeaseMs);
    const untilMs = this.#options.leaseNow() + leaseMs;
    return tokens.length === 0 ? [] : await this.#call("extendBatches", [tokens, untilMs], options);
  }

  async beginBatches(tokens: readonly string[], options?: Options): Promise<readonly string[]> {
    return tokens.length === 0
      ? []
      : await this.#call("beginBatches", [tokens, this.#options.leaseNow()], options);
  }

  async settleBatches(
    settlements: readonly port.Settlement[],
    options?: Options,
  ): Promise<readonly port.Settled[]> {
    const atMs = this.#options.leaseNow();
    return settlements.length === 0 ? [] : await this.#call("settleBatches", [settlements, atMs], options);
  }

  async batches(
    runId: string,
    filter: { readonly onlyFailed?: boolean },
    page: port.PageRequest,
    options?: Options,
  ): Promise<port.Page<port.BatchRecord>> {
    checkRange("limit", page.limit, 1, maxPage);
    return await this.#call("listBatches", [runId, filter, page], options);
  }

  async shareRate(
    { channelId, token, ...request }: port.ShareRequest,
    options?: Options,
  ): Promise<port.Share> {
    checkShareRequest(request);
    const key = token === undefined ? newKey() : decodeShare(token);
    const sharing = { ...request, channelId, key, atMs: this.#options.leaseNow() };
    return { ...(await this.#call("shareRate", [sharing], options)), token: encodeShare(key) };
  }

  async leaveRate(channelId: string, token: string, afterMs: number, options?: Options): Promise<void> {
    checkAfterMs(afterMs);
    const leaving = { channelId, key: decodeShare(token), atMs: this.#options.leaseNow() };
    await this.#call("leaveRate", [leaving, afterMs], options);
  }

  async prune(
    options?: Options,
  ): Promise<{ readonly batches: number; readonly runs: number; readonly more: boolean }> {
    options?.signal?.throwIfAborted();
    const retentionMs = this.#options.retentionMs();
    return await this.#executor.call("prune", this.#ageNow(), [retentionMs], options?.signal);
  }

  async check(options?: Options): Promise<void> {
    await this.#call("findChannel", [""], options);
  }

  onWork(listener: () => void): Disposable {
    // The same function given twice is two listeners, each with its own disposal.
    const own = (): void => listener();
    this.#listeners.add(own);
    return { [Symbol.dispose]: () => this.#listeners.delete(own) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    await this.#executor[Symbol.asyncDispose]();
  }

  async #call<N extends NameIn<ChannelsOperations>>(
    name: N,
    args: ArgumentsOf<ChannelsOperations, N>,
    options: Options,
  ): Promise<OutcomeOf<ChannelsOperations, N>> {
    options?.signal?.throwIfAborted();
    return await this.#executor.call(name, this.#options.now(), args, options?.signal);
  }

  #untilDue(atMs: number): number {
    return Math.max(0, atMs - this.#options.leaseNow());
  }

  #notifyAfter<T>(value: T): T {
    this.#notify();
    return value;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
