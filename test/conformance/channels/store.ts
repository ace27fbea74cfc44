import type {
  ChannelStore,
  LeasedBatch,
  NewBatch,
  Outcome,
  Preparation,
  StoredRun,
  StoredTask,
} from "../../../store/channels/channels.ts";

export interface OpenOptions {
  readonly now: () => number;
  readonly leaseNow: () => number;
  readonly retentionMs: () => number;
}

/** A place that begins empty and outlasts the stores opened in it. */
export interface ChannelsPlace extends AsyncDisposable {
  open(options: OpenOptions): Promise<ChannelStore>;
}

/** Opens a store in a fresh place. */
export type OpenWorld = (retentionMs?: number) => Promise<World>;

/** A clock that stands still until it is moved. */
export class Clock {
  ms = 1_700_000_000_000;
  /** How far the clock that people see has been set. */
  setMs = 0;
  readonly now = (): number => this.ms + this.setMs;
  readonly leaseNow = (): number => this.ms;
}

export interface World extends AsyncDisposable {
  readonly store: ChannelStore;
  readonly clock: Clock;
  /** Ends the store and opens another one on what it has left. */
  reopen(): Promise<void>;
}

export async function openWorld(place: ChannelsPlace, retentionMs = 1_000): Promise<World> {
  const clock = new Clock();
  const options = { now: clock.now, leaseNow: clock.leaseNow, retentionMs: () => retentionMs };
  let store = await place.open(options);
  return {
    clock,
    get store() {
      return store;
    },
    async reopen() {
      await store[Symbol.asyncDispose]();
      store = await place.open(options);
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (value: Uint8Array | null): string => new TextDecoder().decode(value!);
export const day = "2023-11-14";
export const noCounts = { planned: 0, filtered: 0, control: 0 };

export async function addChannel(store: ChannelStore, name = "mail"): Promise<string> {
  const saved = await store.createChannel({ name, projectId: 1, definition: bytes(`channel ${name}`) });
  return (saved as Extract<typeof saved, { kind: "saved" }>).channel.channelId;
}

export async function addTask(
  store: ChannelStore,
  channelId: string,
  nextRunAtMs: number | null = null,
): Promise<StoredTask> {
  const created = await store.createTask({
    name: "news",
    channelId,
    nextRunAtMs,
    definition: bytes("task"),
  });
  return (created as Extract<typeof created, { kind: "created" }>).task;
}

export interface Running {
  readonly channelId: string;
  readonly taskId: string;
  readonly run: StoredRun;
  readonly preparation: Preparation;
}

/** A task that has begun, held for preparation. */
export async function beginRun(store: ChannelStore, name = "mail"): Promise<Running> {
  const channelId = await addChannel(store, name);
  const { taskId } = await addTask(store, channelId);
  await store.startRun(taskId, { day });
  const preparation = (await store.leasePreparation("one", 1_000))!;
  return { channelId, taskId, run: preparation.run, preparation };
}

export function batchOf(pushIds: readonly string[]): NewBatch {
  const payload = bytes(JSON.stringify(pushIds.map((push_id) => ({ push_id }))));
  return { requestId: `request ${pushIds[0]}`, size: pushIds.length, payload, note: "a note" };
}

/** A run whose batches are made: one for each list of push ids. */
export async function preparedRun(
  store: ChannelStore,
  lists: readonly (readonly string[])[],
  name = "mail",
): Promise<Running> {
  const running = await beginRun(store, name);
  await store.appendBatches(running.preparation.token, {
    afterNumber: 0,
    batches: lists.map(batchOf),
    cursor: "end",
    isLast: true,
    resumeData: null,
    counted: { planned: lists.flat().length, filtered: 0, control: 0 },
  });
  return running;
}

export const lease = { maxBatches: 10, leaseMs: 1_000, owner: "one" };

export async function leaseAll(store: ChannelStore, channelId: string): Promise<readonly LeasedBatch[]> {
  return (await store.leaseBatches({ ...lease, channelId })).batches;
}

export const succeeded = {
  kind: "succeeded",
  failedItems: [],
  warnings: 0,
  segments: [],
} satisfies Outcome;
export const failed: Outcome = { kind: "failed", reason: "timeout", message: "60 s", segments: [] };

export function retryAfter(afterMs: number): Outcome {
  return { kind: "retry", afterMs, reason: "timeout", message: "", segments: [] };
}
