import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openHttpServer } from "../../services/webhook/targets/http-server.ts";
import { arrivalsAt } from "./arrivals.ts";
import { batchOf } from "./batches.ts";
import { readBooks, settledBooks } from "./books.ts";
import { configOf } from "./config.ts";
import { openEngage, serveCommand } from "./engage.ts";
import { createSender } from "./senders.ts";
import { stores } from "./stores.ts";

const entry = join(import.meta.dirname, "failing-serve.ts");
const pushIds = Array.from({ length: 20 }, (_, at) => `user-${at}`);
/** One message after the other, so that one is in flight. */
const concurrency = 1;

/**
 * What is stored when the process has died, what its sender may have seen, and how many messages reach the target
 * twice: after the one whose settlement fails, the next may be in flight.
 */
const points: readonly (readonly [
  point: string,
  accepted: number,
  seen: unknown[],
  doubles: { least: number; most: number },
])[] = [
  ["after verify", 0, ["no answer"], { least: 0, most: 0 }],
  ["after commit", 20, ["no answer"], { least: 0, most: 0 }],
  ["before settle", 20, [200, "no answer"], { least: 1, most: 2 }],
];

// At once, since the last point has to wait for the end of a lease.
describe.concurrent.each(stores)("%s", (_name, openStore) => {
  it.each(points)("killed %s: %i stored", async (point, accepted, seen, { least, most }) => {
    await using store = await openStore();
    await using target = await openHttpServer();
    const arrivals = arrivalsAt(target);
    const config = configOf(store, { target, concurrency });
    const command = [process.execPath, entry, point, "--config"];
    await using engage = await openEngage(store.folder, config, { command });
    using sender = createSender(engage);
    const batch = batchOf(pushIds, "request-1");
    const first = sender.send(batch);
    const outcome = await first.then(
      ({ status }) => status,
      () => "no answer",
    );
    await engage.ended();
    expect(seen).toContain(outcome);
    await engage.start({ command: serveCommand });
    expect(await readBooks(engage)).toMatchObject({ accepted });
    expect((await sender.sendUntilAcknowledged(batch)).status).toBe(200);
    const books = { accepted: 20, delivered: 20, dead: 0, pending: 0 };
    expect(await settledBooks(engage)).toEqual(books);
    expect([...arrivals.keys()].toSorted()).toEqual(pushIds.toSorted());
    expect(target.calls.length - pushIds.length).toBeGreaterThanOrEqual(least);
    expect(target.calls.length - pushIds.length).toBeLessThanOrEqual(most);
  });
});
