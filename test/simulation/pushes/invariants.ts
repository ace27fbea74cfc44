import type { LeasedBatch, Outcome, Settled } from "../../../store/channels/batches.ts";
import type { TaskCancelled } from "../../../store/channels/runs.ts";
import { firstOf } from "../../../store/channels/sql/ids.ts";
import { decodeParts, dividePayload } from "../../../store/channels/sql/pages.ts";
import type { DatabaseServer } from "../database/server.ts";
import type { Transaction } from "../database/transaction.ts";
import { InvariantError } from "../invariant-error.ts";

/** What is known of a batch. Replies may be lost, so the number of attempts has bounds. */
interface KnownBatch {
  readonly body: string;
  /** Attempts that count. */
  least: number;
  /** Attempts that may count. */
  most: number;
  leaseUntilMs: number;
  /** The token of its last lease. */
  token: string;
  /** Whether the holder of the last lease has begun to settle it. */
  isSettling: boolean;
}

interface Leasing {
  readonly leaseMs: number;
  readonly isCancelled: boolean;
}

/** Watches the run of one task and its senders, and fails as soon as a rule does not hold. */
export class PushInvariants {
  readonly recipients: readonly string[];
  readonly #server: DatabaseServer;
  /** By the number in the run. */
  readonly #batches = new Map<number, KnownBatch>();
  readonly #stored = new Map<number, string>();
  readonly #sent = new Set<string>();
  /** Tokens of batches which were leased again before their attempt began or was settled. */
  readonly #lost = new Set<string>();
  #attempts = 0;
  /** The state of the task. */
  #state = "";
  /** The number of batches when the task was cancelled; undefined before. */
  #cancelledBatches: number | undefined;

  constructor(server: DatabaseServer, recipients: readonly string[]) {
    this.#server = server;
    this.recipients = recipients;
  }

  /** Checks the rules which a commit may break. */
  committed({ tables }: Transaction): void {
    if (tables.has("channel_payloads") || tables.has("channel_pages")) this.#checkBodies();
    if (tables.has("channel_batches") || tables.has("channel_tallies")) this.#checkCounts();
    if (tables.has("channel_runs") || tables.has("channel_tasks")) {
      this.#checkTask();
      this.#checkRuns();
    }
  }

  /** Whether a commit has cancelled the task. */
  get isCancelled(): boolean {
    return this.#state === "cancelled";
  }

  /** Whether the time of the task is over. */
  get hasBegun(): boolean {
    return this.#state !== "scheduled";
  }

  /** Whether no further batches follow. */
  get isPrepared(): boolean {
    return this.hasBegun && this.#state !== "preparing";
  }

  /** Checks the reply to a caller who cancels the task. */
  cancelled(kind: TaskCancelled["kind"]): void {
    const valid = kind === "cancelled" ? ["cancelled"] : ["cancelled", "done"];
    if (kind === "unknown_task" || !valid.includes(this.#state))
      throw new InvariantError(`a reply is ${kind} while the task is ${this.#state}`);
  }

  /** @param isCancelled whether the task was cancelled before the batch was asked for */
  leased(batch: LeasedBatch, { leaseMs, isCancelled }: Leasing): void {
    if (isCancelled) throw new InvariantError(`batch ${batch.number} is leased after the task was cancelled`);
    const known = this.#of(batch);
    const laterMs = batch.untilMs - known.leaseUntilMs;
    // The reply is of a lease which has ended since.
    if (laterMs <= -leaseMs) return;
    if (!known.isSettling && laterMs < leaseMs)
      throw new InvariantError(
        `batch ${batch.number} is leased until ${known.leaseUntilMs} and until ${batch.untilMs}`,
      );
    if (batch.attempts <= known.least || batch.attempts > known.most + 1)
      throw new InvariantError(
        `batch ${batch.number} has attempt ${batch.attempts} after ${known.least} to ${known.most}`,
      );
    Object.assign(known, { leaseUntilMs: batch.untilMs, token: batch.token, isSettling: false });
  }

  beginning(batch: LeasedBatch): void {
    const known = this.#of(batch);
    known.most++;
    if (known.token !== batch.token) this.#lost.add(batch.token);
  }

  begun(batch: LeasedBatch, isHeld: boolean): void {
    if (isHeld && this.#lost.has(batch.token))
      throw new InvariantError(`an attempt of batch ${batch.number} begins after it was leased again`);
    const known = this.#of(batch);
    if (isHeld) known.least++;
    else known.most--;
  }

  sent(batch: LeasedBatch): void {
    const body = Buffer.from(batch.readPayload()).toString();
    if (this.#of(batch).body !== body)
      throw new InvariantError(`batch ${batch.number} is sent as ${this.#of(batch).body} and as ${body}`);
    for (const pushId of JSON.parse(body) as string[]) this.#sent.add(pushId);
    this.#attempts++;
  }

  settling(batch: LeasedBatch, { kind }: Outcome): void {
    const known = this.#of(batch);
    if (known.token === batch.token) known.isSettling = true;
    else this.#lost.add(batch.token);
    if (kind === "released") known.least--;
  }

  settled(batch: LeasedBatch, { kind }: Settled): void {
    if (kind === "settled" && this.#lost.has(batch.token))
      throw new InvariantError(`batch ${batch.number} is settled by a lease after it was leased again`);
  }

  /** Whether the task has ended, and nothing of its run is open. */
  isDone(): boolean {
    if (this.#state !== "done" && this.#state !== "cancelled") return false;
    return this.#server.read("SELECT 1 FROM channel_runs WHERE is_open = 1").length === 0;
  }

  /** Checks the rules of the end, when the task is done. */
  checkEnd(): void {
    this.#checkCounts();
    const batched = [...this.#stored.values()].flatMap((body) => JSON.parse(body) as string[]);
    const planned = this.isCancelled ? batched.length : this.recipients.length;
    const [run] = this.#server.read<{ state: string; planned: number; batched: number; batches: number }>(
      "SELECT state, planned, batched, batches FROM channel_runs",
    );
    // It may have been cancelled before its run.
    if (run === undefined && this.isCancelled) return;
    if (run?.state !== this.#state)
      throw new InvariantError(`the run is ${run?.state}, the task ${this.#state}`);
    const expected = { planned, batched: planned, batches: this.#stored.size };
    for (const name of ["planned", "batched", "batches"] as const)
      if (run[name] !== expected[name])
        throw new InvariantError(`${name} is ${run[name]} instead of ${expected[name]}`);
    this.#checkSent(planned);
  }

  /** Checks that all messages have ended, those that succeeded after they were sent. */
  #checkSent(planned: number): void {
    const amounts = new Map(
      this.#server
        .read<{ kind: string; amount: number }>(
          "SELECT kind, sum(amount) AS amount FROM channel_tallies GROUP BY kind",
        )
        .map(({ kind, amount }) => [kind, amount]),
    );
    const [succeeded, failed, retried] = (["succeeded", "failed", "retried"] as const).map(
      (kind) => amounts.get(kind) ?? 0,
    ) as [number, number, number];
    if (succeeded + failed !== planned)
      throw new InvariantError(`${succeeded} and ${failed} of ${planned} messages have ended`);
    if (succeeded > this.#sent.size)
      throw new InvariantError(`${succeeded} messages have succeeded, but ${this.#sent.size} were sent`);
    const unsent = this.recipients.filter((pushId) => !this.#sent.has(pushId));
    if (unsent.length > 0 && !this.isCancelled)
      throw new InvariantError(`nothing was sent to ${unsent.join(", ")}`);
    if (retried > this.#attempts) throw new InvariantError(`${retried} of ${this.#attempts} are repeated`);
  }

  /** A task that has ended stays as it is, and a cancelled one has no further time. */
  #checkTask(): void {
    const [task] = this.#server.read<{ state: string; next_run_at_ms: number | null }>(
      "SELECT state, next_run_at_ms FROM channel_tasks",
    );
    if (task === undefined) return;
    const isEnded = this.#state === "done" || this.#state === "cancelled";
    if (isEnded && task.state !== this.#state)
      throw new InvariantError(`the task was ${this.#state} and is ${task.state}`);
    this.#state = task.state;
    if (!this.isCancelled) return;
    this.#cancelledBatches ??= this.#stored.size;
    if (task.next_run_at_ms !== null) throw new InvariantError("a cancelled task has a further time");
  }

  #of({ number, readPayload }: LeasedBatch): KnownBatch {
    const known = this.#batches.get(number);
    if (known !== undefined) return known;
    const text = Buffer.from(readPayload()).toString();
    const fresh = { body: text, least: 0, most: 0, leaseUntilMs: 0, token: "", isSettling: false };
    this.#batches.set(number, fresh);
    return fresh;
  }

  /** Each recipient is in one batch, which never changes. */
  #checkBodies(): void {
    const single = this.#server.read<{ number: number; payload: Uint8Array }>(
      "SELECT number, payload FROM channel_payloads",
    );
    const pages = this.#server.read<{ number: number; parts: string; payload: Uint8Array }>(
      "SELECT number, parts, payload FROM channel_pages WHERE payload IS NOT NULL",
    );
    const paged = pages.flatMap(({ number, parts, payload }) =>
      dividePayload(decodeParts(parts), payload).map((own, i) => ({
        number: firstOf(number) + i,
        payload: own,
      })),
    );
    const rows = [...single, ...paged];
    for (const { number, payload } of rows) {
      const text = Buffer.from(payload).toString();
      const known = this.#stored.get(number) ?? text;
      if (known !== text) throw new InvariantError(`batch ${number} is ${known} and ${text}`);
      this.#stored.set(number, text);
    }
    if (this.#stored.size > (this.#cancelledBatches ?? this.#stored.size))
      throw new InvariantError("a cancelled task has further batches");
    const all = [...this.#stored.values()].flatMap((body) => JSON.parse(body) as string[]);
    if (new Set(all).size < all.length)
      throw new InvariantError(`recipients are in two batches: ${all.join()}`);
  }

  #checkCounts(): void {
    // Batches of pages end with an s there, and each that is taken out has a row of its own.
    const ofRow =
      "CASE WHEN progress IS NULL THEN 1 - is_open ELSE length(replace(replace(replace(progress, '.', ''), 'b', ''), 'o', '')) END";
    const [row] = this.#server.read<Record<"settled" | "closed" | "ended" | "messages", number>>(
      `SELECT
         (SELECT coalesce(sum(amount), 0) FROM channel_tallies WHERE kind = 'settled') AS settled,
         (SELECT coalesce(sum(${ofRow}), 0) FROM channel_batches) AS closed,
         (SELECT coalesce(sum(amount), 0) FROM channel_tallies WHERE kind IN ('succeeded', 'failed')) AS ended,
         (SELECT coalesce(sum(size * ${ofRow}), 0) FROM channel_batches) AS messages`,
    );
    const { settled, closed, ended, messages } = row!;
    if (settled !== closed || ended !== messages)
      throw new InvariantError(
        `${settled} of ${closed} batches, ${ended} of ${messages} messages are counted`,
      );
  }

  #checkRuns(): void {
    const runs = this.#server.read<{ state: string }>("SELECT state FROM channel_runs");
    if (runs.length > 1) throw new InvariantError(`one time of a task has begun ${runs.length} runs`);
    const [run] = runs;
    if (this.isCancelled && run !== undefined && run.state !== "cancelled")
      throw new InvariantError(`the run of a cancelled task is ${run.state}`);
  }
}
