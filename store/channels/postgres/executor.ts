import type { Pool } from "pg";
import { PostgresExecutor } from "../../sql/postgres/executor.ts";
import { readClock } from "../../sql/postgres/lease-clock.ts";
import type { ChannelsOperations } from "../sql/operations.ts";
import { channelStore } from "./store.ts";

/** Calls that may wait for a connection; more are refused at once. */
const MAX_WAITING = 1_000;

export class PostgresChannelsExecutor extends PostgresExecutor<ChannelsOperations> {
  constructor(pool: Pool, schema: string) {
    super(channelStore, pool, { schema, maxWaiting: MAX_WAITING });
  }

  /** Milliseconds since 1970, as the database counts them. */
  async clock(): Promise<number> {
    return await this.transact((_session) => readClock(), 0, undefined);
  }
}
