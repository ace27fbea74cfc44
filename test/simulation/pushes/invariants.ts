import type { LeasedBatch, Outcome, Settled } from "../../../store/channels/batches.ts";
import type { DatabaseServer, Transaction } from "../database/server.ts";
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

  constructor(server: DatabaseServer, recipients: readonly string[]) {
    this.#server = server;
    this.recipients = recipients;
  }

  /** Checks the rules which a commit may break. */
  committed({ tables }: Transaction): void {
    if (tables.has("channel_bodies")) this.#checkBodies();
    if (tables.has("channel_batches") || tables.has("channel_tallies")) this.#checkCounts();
    if (tables.has("channel_runs")) this.#checkRuns();
  }

  leased(batch: LeasedBatch, leaseMs: number): void {
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
    const body = Buffer.from(batch.body).toString();
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

  isDone(): boolean {
    const [task] = this.#server.read<{ state: string }>("SELECT state FROM channel_tasks");
    return task?.state === "done";
  }

  /** Checks the rules of the end, when the task is done. */
  checkEnd(): void {
    this.#checkCounts();
    const total = this.recipients.length;
    const batched = [...this.#stored.values()].flatMap((body) => JSON.parse(body) as string[]);
    if (batched.length !== total) throw new InvariantError(`${batched.length} of ${total} are in batches`);
    const [run] = this.#server.read<{ planned: number; batched: number; batches: number }>(
      "SELECT planned, batched, batches FROM channel_runs",
    );
    const expected = { planned: total, batched: total, batches: this.#stored.size };
    for (const name of ["planned", "batched", "batches"] as const)
      if (run![name] !== expected[name])
        throw new InvariantError(`${name} is ${run![name]} instead of ${expected[name]}`);
    const unsent = this.recipients.filter((pushId) => !this.#sent.has(pushId));
    if (unsent.length > 0) throw new InvariantError(`nothing was sent to ${unsent.join(", ")}`);
    const [{ retried } = { retried: 0 }] = this.#server.read<{ retried: number }>(
      "SELECT coalesce(sum(amount), 0) AS retried FROM channel_tallies WHERE kind = 'retried'",
    );
    if (retried > this.#attempts) throw new InvariantError(`${retried} of ${this.#attempts} are repeated`);
  }

  #of({ number, body }: LeasedBatch): KnownBatch {
    const known = this.#batches.get(number);
    if (known !== undefined) return known;
    const text = Buffer.from(body).toString();
    const fresh = { body: text, least: 0, most: 0, leaseUntilMs: 0, token: "", isSettling: false };
    this.#batches.set(number, fresh);
    return fresh;
  }

  /** Each recipient is in one batch, which never changes. */
  #checkBodies(): void {
    const rows = this.#server.read<{ number: number; body: Uint8Array }>(
      "SELECT number, body FROM channel_bodies",
    );
    for (const { number, body } of rows) {
      const text = Buffer.from(body).toString();
      const known = this.#stored.get(number) ?? text;
      if (known !== text) throw new InvariantError(`batch ${number} is ${known} and ${text}`);
      this.#stored.set(number, text);
    }
    const all = [...this.#stored.values()].flatMap((body) => JSON.parse(body) as string[]);
    if (new Set(all).size < all.length)
      throw new InvariantError(`recipients are in two batches: ${all.join()}`);
  }

  #checkCounts(): void {
    const [row] = this.#server.read<Record<"settled" | "closed" | "ended" | "messages", number>>(
      `SELECT
         (SELECT coalesce(sum(amount), 0) FROM channel_tallies WHERE kind = 'settled') AS settled,
         (SELECT count(*) FROM channel_batches WHERE is_open = 0) AS closed,
         (SELECT coalesce(sum(amount), 0) FROM channel_tallies WHERE kind IN ('succeeded', 'failed')) AS ended,
         (SELECT coalesce(sum(size), 0) FROM channel_batches WHERE is_open = 0) AS messages`,
    );
    const { settled, closed, ended, messages } = row!;
    if (settled !== closed || ended !== messages)
      throw new InvariantError(
        `${settled} of ${closed} batches, ${ended} of ${messages} messages are counted`,
      );
  }

  #checkRuns(): void {
    const [{ count } = { count: 0 }] = this.#server.read<{ count: number }>(
      "SELECT count(*) AS count FROM channel_runs",
    );
    if (count > 1) throw new InvariantError(`one time of a task has begun ${count} runs`);
  }
}
