import type { ElementOutcome, Inbox, WorkItem } from "../../../store/inbox/inbox.ts";
import { batchOf } from "../../conformance/inbox/batches.ts";
import type { Random } from "../../reference/random.ts";
import type { Replica } from "../replica.ts";
import type { InboxInvariants } from "./invariants.ts";

/** One replica and its connection to the inbox. */
export interface InboxReplica {
  readonly replica: Replica;
  readonly inbox: Inbox;
}

export interface CallerPorts {
  readonly random: Random;
  readonly invariants: InboxInvariants;
  /** Passes a broken rule on. */
  readonly check: (check: () => void) => void;
  /** Waits, often until a time at which others act too. */
  readonly wait: (replica: Replica, ms: number) => Promise<void>;
  readonly isFaulty: () => boolean;
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
  { random, check, invariants }: CallerPorts,
  request: Request,
): Promise<string | undefined> {
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
  check(() => invariants.replied(request.id, result.kind === "conflict" ? "conflict" : received));
  return received;
}

/** Delivers the work of a target for as long as the replica lives. */
export async function deliver(own: InboxReplica, ports: CallerPorts, target: string): Promise<never> {
  const { random, check, invariants, isFaulty } = ports;
  for (;;) {
    await ports.wait(own.replica, random.int(100, 900));
    try {
      const { items } = await own.inbox.lease({ target, maxElements: random.int(1, 4), leaseMs });
      for (const item of items) check(() => invariants.leased(item, leaseMs));
      if (items.length > 0 && isFaulty() && random.chance(0.05)) await pauseBeyondLease(own, ports);
      await Promise.all(items.map((item) => deliverItem(own, ports, item)));
    } catch {
      // The database is unavailable; leases end by themselves.
    }
  }
}

/** Stops the process until its leases have ended. */
async function pauseBeyondLease({ replica }: InboxReplica, { random, wait }: CallerPorts): Promise<void> {
  replica.stop(leaseMs + random.int(1_000, 4_000));
  await wait(replica, 1);
}

async function deliverItem(
  { inbox, replica }: InboxReplica,
  ports: CallerPorts,
  item: WorkItem,
): Promise<void> {
  const { random, invariants } = ports;
  const indexes = item.elements.map(({ index }) => index);
  invariants.beginning(item);
  const [isHeld] = await inbox.begin([{ token: item.token, indexes }]);
  ports.check(() => invariants.begun(item, isHeld === true));
  if (isHeld !== true) return;
  for (const { deliveryId } of item.elements) invariants.sent(deliveryId);
  await ports.wait(replica, random.few(1, 7_000));
  const kind = ports.isFaulty()
    ? random.pick(["done", "done", "retry", "returned", "dead"] as const)
    : "done";
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
