import type { Pool } from "pg";
import { PostgresExecutor } from "../../sql/postgres/executor.ts";
import type { CallOptions, SharedSlots, SlotRequest, Slots } from "../channels.ts";
import type { ChannelsOperations } from "../sql/operations.ts";
import { readClock, reserveSlots } from "./slots.ts";
import { channelStore } from "./store.ts";

/** Calls that may wait for a connection; more are refused at once. */
const MAX_WAITING = 1_000;
const MAX_SLOTS = 10_000;

export class PostgresChannelsExecutor extends PostgresExecutor<ChannelsOperations> implements SharedSlots {
  constructor(pool: Pool, schema: string) {
    super(channelStore, pool, { schema, maxWaiting: MAX_WAITING });
  }

  async reserve(request: SlotRequest, { signal }: CallOptions = {}): Promise<Slots> {
    checkRange("count", request.count);
    checkRange("perSecond", request.perSecond);
    signal?.throwIfAborted();
    return await this.transact((_session) => reserveSlots(request), 0, signal);
  }

  /** Milliseconds since 1970, as the database counts them. */
  async clock(): Promise<number> {
    return await this.transact((_session) => readClock(), 0, undefined);
  }
}

function checkRange(field: string, value: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= MAX_SLOTS) return;
  throw new RangeError(`${field} is ${value}, not a whole number from 1 to ${MAX_SLOTS}`);
}
