import type { ElementOutcome, Inbox, WorkItem } from "../../../store/inbox/inbox.ts";
import { batchOf } from "../../conformance/inbox/batches.ts";
import type { Replica } from "../replica.ts";
import type { World } from "../world.ts";
import type { InboxInvariants } from "./invariants.ts";

/** One replica and its connection to the inbox. */
export interface InboxReplica {
  readonly replica: Replica;
  readonly inbox: Inbox;
}

export interface CallerPorts {
  readonly world: World;
  readonly invariants: InboxInvariants;
}

/** A target, and one that keeps the order of each push id. */
export const targets = ["any", "ordered"] as const;
const leaseMs = 6_000;

export interface Request {
  readonly id: string;
  readonly pushIds: readonly string[];
  /** Whether one of its routes keeps the order. */
  readonly isOrdered: boolean;
  readonly attempt: number;
}

/**
 * Sends one request to a replica, as a sender does once. Returns the reply; undefined when it must be sent
 * again.
 */
export async function sendRequest(
  { inbox }: InboxReplica,
  { world, invariants }: CallerPorts,
  request: Request,
): Promise<string | undefined> {
  const { random } = world;
  const reply = `reply ${request.attempt} of ${request.id}`;
  const isBegun = random.chance(0.3);
  const result = await inbox.accept(
    batchOf(request.pushIds, {
      requestId: request.id,
      routes: [
        { target: targets[0], indexes: "all" },
        { target: targets[1], indexes: "all", ordered: request.isOrdered },
      ],
      reply: isBegun ? null : Buffer.from(reply),
      ownerLeaseMs: 2_000,
    }),
  );
  if (result.kind === "in_flight") return undefined;
  if (result.kind === "stored" && isBegun) {
    if (random.chance(0.2)) {
      await inbox.release(result.batchId);
      return undefined;
    }
    const finished = await inbox.complete(result.batchId, { reply: Buffer.from(reply) });
    if (finished.kind === "stale") return undefined;
  }
  const received = result.kind === "duplicate" ? Buffer.from(result.reply).toString() : reply;
  world.check(() => invariants.replied(request.id, result.kind === "conflict" ? "conflict" : received));
  return received;
}

/** Delivers the work of a target for as long as the replica lives. */
export async function deliver(own: InboxReplica, ports: CallerPorts, target: string): Promise<never> {
  const { world, invariants } = ports;
  const { random } = world;
  for (;;) {
    await world.wait(own.replica, random.int(100, 900));
    try {
      const { items } = await own.inbox.lease({ target, maxElements: random.int(1, 4), leaseMs });
      for (const item of items) world.check(() => invariants.leased(item, leaseMs));
      if (items.length > 0 && world.isFaulty && random.chance(0.05))
        await world.pauseBeyond(leaseMs, own.replica);
      await Promise.all(items.map((item) => deliverItem(own, ports, item)));
    } catch {
      // The database is unavailable; leases end by themselves.
    }
  }
}

async function deliverItem(
  { inbox, replica }: InboxReplica,
  ports: CallerPorts,
  item: WorkItem,
): Promise<void> {
  const { world, invariants } = ports;
  const { random } = world;
  const indexes = item.elements.map(({ index }) => index);
  invariants.beginning(item);
  const [isHeld] = await inbox.begin([{ token: item.token, indexes }]);
  world.check(() => invariants.begun(item, isHeld === true));
  if (isHeld !== true) return;
  for (const { deliveryId } of item.elements) invariants.sent(deliveryId);
  // Some calls outlive their lease while things go wrong.
  await world.wait(replica, random.few(1, world.isFaulty ? 7_000 : 700));
  const kind = world.isFaulty ? random.pick(["done", "done", "retry", "returned", "dead"] as const) : "done";
  const settled = random.chance(0.7) ? item.elements : item.elements.slice(0, 1);
  invariants.settling(
    settled.map(({ deliveryId }) => deliveryId),
    kind === "returned",
  );
  await inbox.settle(
    item.token,
    settled.map(({ index }): ElementOutcome => {
      if (kind === "retry") return { index, kind, notBeforeMs: inbox.clockMs() + 500, reason: "busy" };
      return kind === "dead" ? { index, kind, reason: "refused" } : { index, kind };
    }),
  );
}
