import type { Pool, PoolClient } from "pg";
import type { ArgumentsOf, NameIn, OutcomeOf } from "../../sql/operations.ts";
import { PostgresExecutor } from "../../sql/postgres/executor.ts";
import { postgresDialect } from "../../sql/postgres/runner.ts";
import type { AcceptResult } from "../batch.ts";
import { encodeBatchId } from "../ids.ts";
import { InboxFullError } from "../inbox.ts";
import { accept } from "../sql/accept.ts";
import type { InboxExecutor } from "../sql/options.ts";
import type { InboxOperations } from "../sql/sql.ts";
import type { StoredBatch } from "../stored-batch.ts";
import { isSingleStatement, quickAccept, quickAcceptUnclaimed, quickParams } from "./quick-accept.ts";
import { SettleGroups } from "./settle-groups.ts";
import { inboxStore } from "./store.ts";

export interface PostgresInboxExecutorOptions {
  readonly schema: string;
  /** The maximum number of calls which wait for a connection; more are refused at once. */
  readonly maxWaiting: number;
  /** The maximum size of the schema; no batch is accepted beyond it. Null: no limit. */
  readonly maxBytes: number | null;
}

/** The size of the tables is read at most this often: it is cheap, but not for every batch. */
const measureIntervalMs = 5_000;

export class PostgresInboxExecutor extends PostgresExecutor<InboxOperations> implements InboxExecutor {
  readonly #options: PostgresInboxExecutorOptions;
  readonly #settleGroups: SettleGroups;
  /** The times of the latest settlement. */
  #settledAt = { nowMs: 0, wallMs: 0 };
  #usedBytes = 0;
  #measuredAtMs = Number.NEGATIVE_INFINITY;

  constructor(pool: Pool, options: PostgresInboxExecutorOptions) {
    super(inboxStore, pool, options);
    this.#options = options;
    this.#settleGroups = new SettleGroups((settlements) => {
      const { nowMs, wallMs } = this.#settledAt;
      return super.call("settleAll", nowMs, [settlements, wallMs], undefined);
    });
  }

  admit(bodyBytes: number): void {
    const { maxBytes, schema } = this.#options;
    if (maxBytes === null) return;
    this.#measureSometimes();
    if (this.#usedBytes + bodyBytes <= maxBytes) return;
    throw new InboxFullError(
      `inbox schema "${schema}" uses ${this.#usedBytes} bytes, at most ${maxBytes} are allowed`,
    );
  }

  async measure(signal: AbortSignal | undefined): Promise<{ usedBytes: number; freeBytes: null }> {
    const sql = `SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0)::bigint AS bytes
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relkind = 'r'`;
    const read = async (client: PoolClient): Promise<readonly { bytes: number }[]> =>
      await this.runner.query(client, sql, [this.#options.schema]);
    const [row] = await this.withClient(read, signal);
    this.#usedBytes = row?.bytes ?? 0;
    return { usedBytes: this.#usedBytes, freeBytes: null };
  }

  override async call<N extends NameIn<InboxOperations>>(
    name: N,
    nowMs: number,
    args: ArgumentsOf<InboxOperations, N>,
    signal: AbortSignal | undefined,
  ): Promise<OutcomeOf<InboxOperations, N>> {
    if (name === "settle" && signal === undefined) {
      const [key, outcomes, wallMs] = args as readonly unknown[] as ArgumentsOf<InboxOperations, "settle">;
      this.#settledAt = { nowMs, wallMs };
      return (await this.#settleGroups.settle({ key, outcomes })) as OutcomeOf<InboxOperations, N>;
    }
    if (name !== "accept") return await super.call(name, nowMs, args, signal);
    const [batch] = args as readonly unknown[] as readonly [StoredBatch];
    const accepted = this.withClient((client, shard) => this.#accept(client, batch, nowMs, shard), signal);
    return (await accepted) as OutcomeOf<InboxOperations, N>;
  }

  /** Accepts a batch in one statement, unless it needs the whole operation or its key is taken. */
  async #accept(client: PoolClient, batch: StoredBatch, nowMs: number, shard: number): Promise<AcceptResult> {
    if (isSingleStatement(batch)) {
      const sql = batch.claim === null ? quickAcceptUnclaimed : quickAccept;
      const [row] = await this.runner.query<{ seq: number }>(client, sql, quickParams(batch, nowMs, shard));
      if (row !== undefined) {
        return { kind: "stored", batchId: encodeBatchId({ seq: row.seq, acceptedAtMs: batch.acceptedAtMs }) };
      }
    }
    const session = { nowMs, shard, dialect: postgresDialect };
    return await this.runner.transact(client, accept(session, batch));
  }

  #measureSometimes(): void {
    const nowMs = performance.now();
    if (nowMs - this.#measuredAtMs < measureIntervalMs) return;
    this.#measuredAtMs = nowMs;
    // An unavailable server is reported by the calls which need it.
    this.measure(undefined).catch(() => {});
  }
}
