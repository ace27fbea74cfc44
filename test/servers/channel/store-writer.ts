import { writeSync } from "node:fs";
import type { ChannelStore, StoredRun } from "../../../store/channels/channels.ts";
import { openSqliteChannels } from "../../../store/channels/sqlite/open.ts";
import { batchOf, bytes, day } from "../../conformance/channels/store.ts";

/** An acknowledgement of the store. Its line leaves the process before anything else happens. */
export type Acknowledged =
  | { readonly kind: "opened" }
  | { readonly kind: "begun"; readonly runId: string }
  | { readonly kind: "appended"; readonly runId: string; readonly batches: number }
  | { readonly kind: "settled"; readonly runId: string; readonly number: number };

const pages = 3;
const pageBatches = 5;

function say(what: Acknowledged): void {
  writeSync(1, `${JSON.stringify(what)}\n`);
}

async function begin(store: ChannelStore, name: string): Promise<void> {
  const saved = await store.createChannel({ name, projectId: 1, definition: bytes(name) });
  const { channelId } = (saved as Extract<typeof saved, { kind: "saved" }>).channel;
  const task = { name, channelId, definition: bytes(name), nextRunAtMs: null };
  const created = await store.createTask(task);
  const { taskId } = (created as Extract<typeof created, { kind: "created" }>).task;
  const started = await store.startRun(taskId, { day });
  say({ kind: "begun", runId: (started as Extract<typeof started, { kind: "started" }>).run.runId });
}

/** Makes the batches of a run from where it was left. */
async function prepare(store: ChannelStore): Promise<StoredRun> {
  const { token, run } = (await store.leasePreparation("writer", 60_000))!;
  for (let page = Number(run.cursor ?? 0); page < pages; page++) {
    const afterNumber = page * pageBatches;
    const batches = Array.from({ length: pageBatches }, (_, i) => batchOf([`u${afterNumber + i}`, "v"]));
    await store.appendBatches(token, {
      afterNumber,
      batches,
      cursor: String(page + 1),
      isLast: page === pages - 1,
      counted: { planned: 2 * pageBatches, filtered: 0, control: 0 },
      resumeData: { page, data: bytes(`page ${page}`) },
    });
    say({ kind: "appended", runId: run.runId, batches: afterNumber + pageBatches });
  }
  return run;
}

async function send(store: ChannelStore, { channelId }: StoredRun): Promise<void> {
  const leasing = { channelId, maxBatches: 4, leaseMs: 60_000, owner: "writer" };
  for (;;) {
    const { batches } = await store.leaseBatches(leasing);
    if (batches.length === 0) return;
    const outcome = { kind: "succeeded", failedItems: [], warnings: 0 } as const;
    await store.settleBatches(
      batches.map(({ token, size }) => ({
        token,
        outcome: { ...outcome, segments: [{ groupId: "A", language: "", sent: size, succeeded: size }] },
      })),
    );
    for (const { runId, number } of batches) say({ kind: "settled", runId, number });
  }
}

const [path = ""] = process.argv.slice(2);
const store = await openSqliteChannels({ path, lockWaitMs: 10_000 });
say({ kind: "opened" });
const work = async (worker: number): Promise<never> => {
  for (let time = 0; ; time++) {
    await begin(store, `${process.pid} ${worker} ${time}`);
    await send(store, await prepare(store));
  }
};
await Promise.all([1, 2, 3, 4].map(work));
