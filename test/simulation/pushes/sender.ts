import type { LeasedBatch, Outcome } from "../../../store/channels/batches.ts";
import type { ChannelStore } from "../../../store/channels/channels.ts";
import type { NewBatch, Preparation } from "../../../store/channels/runs.ts";
import type { Replica } from "../replica.ts";
import type { World } from "../world.ts";
import type { PushInvariants } from "./invariants.ts";

/** One replica and its connection to the store. */
export interface PushReplica {
  readonly replica: Replica;
  readonly channels: ChannelStore;
  readonly world: World;
  readonly invariants: PushInvariants;
}

const leaseMs = 5_000;
const maxBatchSize = 3;

/** How much seldomer a replica asks for what is not there any more. */
const idleFactor = 5;

/** Does something again and again for as long as the replica lives. */
async function repeat(
  { replica, world }: PushReplica,
  work: () => Promise<unknown>,
  isIdle: () => boolean = () => false,
): Promise<never> {
  for (;;) {
    await world.wait(replica, world.random.int(100, 900) * (isIdle() ? idleFactor : 1));
    // The database may be unavailable; leases end by themselves.
    await work().catch(() => undefined);
  }
}

/** Begins the runs of due tasks. */
export function beginRuns(own: PushReplica): Promise<never> {
  return repeat(
    own,
    async () => {
      const { due } = await own.channels.dueTasks(10);
      for (const { taskId, nextRunAtMs } of due) {
        await own.channels.claimDueTask({
          taskId,
          nextRunAtMs,
          followingAtMs: null,
          run: { day: "2023-11-14" },
        });
      }
    },
    () => own.invariants.hasBegun,
  );
}

/** Divides the recipients of runs into batches. */
export function prepareRuns(own: PushReplica): Promise<never> {
  return repeat(
    own,
    async () => {
      const preparation = await own.channels.leasePreparation(own.replica.name, leaseMs);
      if (preparation !== null) await prepare(own, preparation);
    },
    () => own.invariants.isPrepared,
  );
}

async function prepare(own: PushReplica, { token, run }: Preparation): Promise<void> {
  const { channels, world, invariants, replica } = own;
  const { random } = world;
  const { recipients } = invariants;
  let number = run.batches;
  for (let from = Number(run.cursor ?? 0); ; ) {
    if (world.isFaulty && random.chance(0.05)) await world.pauseBeyond(leaseMs, replica);
    const batches: NewBatch[] = [];
    const start = from;
    for (let left = random.int(0, 3); left > 0 && from < recipients.length; left--) {
      const pushIds = recipients.slice(from, from + random.int(1, maxBatchSize));
      from += pushIds.length;
      const payload = Buffer.from(JSON.stringify(pushIds));
      const requestId = `${replica.name} ${random.int(0, 1e9)}`;
      batches.push({ requestId, size: pushIds.length, payload, note: "" });
    }
    const isLast = from === recipients.length;
    const counted = { planned: from - start, filtered: 0, control: 0 };
    const append = { afterNumber: number, batches, cursor: String(from), isLast, counted, resumeData: null };
    const appended = await channels.appendBatches(token, append);
    if (isLast || appended.kind === "stale") return;
    number += batches.length;
    await world.wait(replica, random.few(1, 2_000));
  }
}

/** Sends batches to the receiver of each busy channel. */
export function sendBatches(own: PushReplica): Promise<never> {
  const { channels, world, invariants, replica } = own;
  return repeat(own, async () => {
    const owner = replica.name;
    for (const { channelId } of await channels.busyChannels()) {
      const maxBatches = world.random.pick([1, 1, 2, 4]);
      const { isCancelled } = invariants;
      const wholePages = world.random.chance(0.2);
      const request = { channelId, maxBatches, leaseMs, owner, wholePages };
      const { batches } = await channels.leaseBatches(request);
      for (const batch of batches) world.check(() => invariants.leased(batch, { leaseMs, isCancelled }));
      if (batches.length > 0 && world.isFaulty && world.random.chance(0.05))
        await world.pauseBeyond(leaseMs, replica);
      const groups = wholePages ? [batches] : batches.map((batch) => [batch]);
      await Promise.all(groups.map((group) => send(own, group)));
    }
  });
}

/** Begins batches in one commit, sends them, and settles them in one commit. */
async function send(
  { channels, world, invariants, replica }: PushReplica,
  batches: readonly LeasedBatch[],
): Promise<void> {
  const { random } = world;
  for (const batch of batches) invariants.beginning(batch);
  const stale = new Set(await channels.beginBatches(batches.map(({ token }) => token)));
  const held = batches.filter(({ token }) => !stale.has(token));
  for (const batch of batches) world.check(() => invariants.begun(batch, !stale.has(batch.token)));
  if (held.length === 0) return;
  for (const batch of held) world.check(() => invariants.sent(batch));
  await world.wait(replica, random.chance(0.7) ? random.int(1, 300) : random.few(1, 6_000));
  const settlements = held.map(({ token }) => ({ token, outcome: chooseOutcome(world) }));
  for (const [i, batch] of held.entries()) invariants.settling(batch, settlements[i]!.outcome);
  const settled = await channels.settleBatches(settlements);
  for (const [i, batch] of held.entries()) world.check(() => invariants.settled(batch, settled[i]!));
}

function chooseOutcome({ random, isFaulty }: World): Outcome {
  const segments = [] as const;
  const kind = isFaulty
    ? random.pick(["succeeded", "succeeded", "retry", "failed", "released"])
    : "succeeded";
  if (kind === "released") return { kind };
  if (kind === "failed") return { kind, reason: "refused", message: "", segments };
  if (kind === "retry") return { kind, afterMs: 500, reason: "busy", message: "", segments };
  return { kind: "succeeded", failedItems: [], warnings: 0, segments };
}
