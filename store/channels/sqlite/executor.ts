import type { DiskGuard } from "../../sql/sqlite/disk-guard.ts";
import { SqliteExecutor, workerBeside } from "../../sql/sqlite/executor.ts";
import type { WorkerSetup } from "../../sql/sqlite/requests.ts";
import type { SlotRequest, Slots } from "../channels.ts";
import type { ChannelsOperations } from "../sql/operations.ts";
import { type SlotState, takeSlots } from "../sql/slots.ts";
import type { ChannelsExecutor } from "../sql/sql-channels.ts";
import { channelStore } from "./store.ts";

const thread = { url: workerBeside(import.meta.url), name: "engage-channels" };
/** A process before this one may have sent until it ended: no slot is in a window with its last. */
const QUIET_US = 1_100_000;

export class SqliteChannelsExecutor extends SqliteExecutor<ChannelsOperations> implements ChannelsExecutor {
  readonly #monotonicUs: () => number;
  readonly #slots = new Map<string, SlotState>();
  #openedUs = 0;

  /** @param monotonicUs microseconds of a clock that nobody sets */
  constructor(setup: WorkerSetup, guard: DiskGuard, monotonicUs: () => number) {
    super(channelStore, thread, setup, guard);
    this.#monotonicUs = monotonicUs;
  }

  override async open(): Promise<void> {
    await super.open();
    this.#openedUs = this.#monotonicUs();
  }

  /** One process has the file, so its slots need not be kept. */
  async reserveSlots(request: SlotRequest): Promise<Slots> {
    const nowUs = this.#monotonicUs();
    const { channelId, perSecond } = request;
    const first = { nextUs: Math.max(nowUs, this.#openedUs + QUIET_US), perSecond };
    const { atUs, retryAfterMs, state } = takeSlots(this.#slots.get(channelId) ?? first, request, nowUs);
    this.#slots.set(channelId, state);
    return { delaysMs: atUs.map((at) => (at - nowUs) / 1_000), retryAfterMs };
  }
}
