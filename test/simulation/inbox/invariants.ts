import type { WorkItem } from "../../../store/inbox/inbox.ts";
import type { DatabaseServer } from "../database/server.ts";
import type { Transaction } from "../database/transaction.ts";
import { InvariantError } from "../invariant-error.ts";

/** What is known of the attempts of one delivery. Replies may be lost, so there are bounds. */
interface Attempts {
  /** Attempts that count. */
  least: number;
  /** Attempts that may count. */
  most: number;
  /** The end of its last lease, and whether the holder has begun to settle it. */
  leaseUntilMs: number;
  isSettling: boolean;
  /** The token of its last lease. */
  token: string | undefined;
}

/** Watches an inbox and its callers, and fails as soon as a rule does not hold. */
export class InboxInvariants {
  readonly #server: DatabaseServer;
  readonly #replies = new Map<string, string>();
  readonly #attempts = new Map<string, Attempts>();
  readonly #sent = new Set<string>();
  /** Tokens of work which was leased again before its call began. */
  readonly #lost = new Set<string>();

  constructor(server: DatabaseServer) {
    this.#server = server;
  }

  /** Checks the rules which a commit may break. */
  committed({ tables }: Transaction): void {
    if (tables.has("work") || tables.has("books")) this.#checkCounts();
    if (tables.has("line")) this.#checkOrder();
  }

  /** Checks that all replies of a request id are equal. */
  replied(requestId: string, reply: string): void {
    const first = this.#replies.get(requestId) ?? reply;
    this.#replies.set(requestId, first);
    if (first !== reply)
      throw new InvariantError(`request ${requestId} has the replies ${first} and ${reply}`);
  }

  leased(item: WorkItem, leaseMs: number): void {
    for (const { deliveryId } of item.elements) {
      const known = this.#of(deliveryId);
      const laterMs = item.leaseUntilMs - known.leaseUntilMs;
      // The reply is of a lease which has ended since.
      if (laterMs <= -leaseMs) continue;
      if (item.attempt <= known.least || item.attempt > known.most + 1)
        throw new InvariantError(
          `${deliveryId} has attempt ${item.attempt} after ${known.least} to ${known.most} attempts`,
        );
      if (!known.isSettling && laterMs < leaseMs)
        throw new InvariantError(
          `${deliveryId} is leased until ${known.leaseUntilMs} and until ${item.leaseUntilMs}`,
        );
      known.leaseUntilMs = item.leaseUntilMs;
      known.isSettling = false;
      known.token = item.token;
    }
  }

  beginning(item: WorkItem): void {
    for (const { deliveryId } of item.elements) {
      const known = this.#of(deliveryId);
      known.most++;
      if (known.token !== item.token) this.#lost.add(item.token);
    }
  }

  begun(item: WorkItem, isHeld: boolean): void {
    if (isHeld && this.#lost.has(item.token))
      throw new InvariantError(`a call of ${item.token} begins after the work was leased again`);
    for (const { deliveryId } of item.elements) {
      const known = this.#of(deliveryId);
      if (isHeld) known.least++;
      else known.most--;
    }
  }

  sent(deliveryId: string): void {
    this.#sent.add(deliveryId);
  }

  settling(deliveryIds: readonly string[], isReturned: boolean): void {
    for (const deliveryId of deliveryIds) {
      const known = this.#of(deliveryId);
      known.isSettling = true;
      if (isReturned) known.least--;
    }
  }

  /** Checks the rules of the end, when nothing is pending. */
  checkEnd(acknowledged: ReadonlyMap<string, number>): void {
    const batches = this.#server.read<{ seq: number; request_id: string; finished_at_ms: number | null }>(
      "SELECT seq, request_id, finished_at_ms FROM batches WHERE in_flight_until_ms IS NULL",
    );
    const ids = batches.map((batch) => JSON.parse(batch.request_id) as string);
    if (new Set(ids).size < ids.length)
      throw new InvariantError(`requests are stored twice: ${ids.join(" ")}`);
    const unfinished = batches.find((batch) => batch.finished_at_ms === null);
    if (unfinished !== undefined) throw new InvariantError(`batch ${unfinished.seq} is not finished`);
    const lost = [...acknowledged.keys()].find((id) => !ids.includes(id));
    if (lost !== undefined) throw new InvariantError(`acknowledged request ${lost} is not stored`);
    const [counted] = this.#server.read<{ accepted: number; delivered: number }>(
      "SELECT coalesce(sum(accepted), 0) AS accepted, coalesce(sum(delivered), 0) AS delivered FROM books",
    );
    if (counted!.delivered > this.#sent.size)
      throw new InvariantError(`${counted!.delivered} deliveries are done, but ${this.#sent.size} were sent`);
  }

  isEmpty(): boolean {
    return this.#server.read("SELECT 1 FROM work LIMIT 1").length === 0;
  }

  #of(deliveryId: string): Attempts {
    const known = this.#attempts.get(deliveryId);
    if (known !== undefined) return known;
    const fresh = { least: 0, most: 0, leaseUntilMs: 0, isSettling: false, token: undefined };
    this.#attempts.set(deliveryId, fresh);
    return fresh;
  }

  #checkCounts(): void {
    const wrong = this.#server.read<Record<string, unknown>>(
      `SELECT target, sum(accepted) AS accepted, sum(delivered) AS delivered, sum(dead) AS dead,
         sum(pending) AS pending, coalesce((SELECT sum(element_count) FROM work w WHERE w.target = b.target), 0) AS work
       FROM books b GROUP BY target
       HAVING sum(accepted) <> sum(delivered) + sum(dead) + sum(pending) OR sum(pending) <> work`,
    );
    if (wrong.length > 0) throw new InvariantError(`the counts do not add up: ${JSON.stringify(wrong)}`);
  }

  #checkOrder(): void {
    const wrong = this.#server.read<{ target: string; positions: string }>(
      `SELECT target, group_concat(position) AS positions FROM line WHERE in_flight = 1
       GROUP BY target, push_key HAVING count(*) > 1`,
    );
    if (wrong.length > 0)
      throw new InvariantError(`two of one push id are in delivery: ${wrong[0]!.positions}`);
  }
}
