import type { Pool } from "pg";
import { PostgresExecutor } from "../../sql/postgres/executor.ts";
import type { SlotRequest, Slots } from "../channels.ts";
import type { ChannelsOperations } from "../sql/operations.ts";
import type { ChannelsExecutor } from "../sql/sql-channels.ts";
import { readClock, reserveSlots } from "./slots.ts";
import { channelStore } from "./store.ts";

/** Calls that may wait for a connection; more are refused at once. */
const MAX_WAITING = 1_000;

export class PostgresChannelsExecutor
  extends PostgresExecutor<ChannelsOperations>
  implements ChannelsExecutor
{
  constructor(pool: Pool, schema: string) {
    super(channelStore, pool, { schema, maxWaiting: MAX_WAITING });
  }

  async reserveSlots(request: SlotRequest, signal: AbortSignal | undefined): Promise<Slots> {
    return await this.transact((_session) => reserveSlots(request), 0, signal);
  }

  /** Milliseconds since 1970, as the database counts them. */
  async clock(): Promise<number> {
    return await this.transact((_session) => readClock(), 0, undefined);
  }
}
