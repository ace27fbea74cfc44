import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { seeded } from "../webhook/batches.ts";
import { openEngage } from "../webhook/engage.ts";
import { createSender } from "../webhook/senders.ts";
import { type Report, reportOf, reportUntilTaken, totalOf } from "./reports.ts";
import { eventsConfig, storedTotals } from "./service.ts";

const kills = 20;
const senders = 6;

const ends: readonly (readonly [signal: NodeJS.Signals, times: number])[] = [
  ["SIGKILL", kills],
  ["SIGTERM", 4],
];

it.each(ends)(
  "stores what it takes once, over %s at any time, %i times",
  { timeout: 300_000 },
  async (signal, times) => {
    await using folder = await openTempFolder();
    await using engage = await openEngage(folder.path, eventsConfig());
    using sender = createSender(engage, { connections: senders });
    const random = seeded(20_261_128);
    const stop = new AbortController();
    const taken: Report[] = [];
    let batches = 0;
    const work = async () => {
      while (!stop.signal.aborted) {
        const report = reportOf(batches++, { padding: 1_000 });
        // Without a signal: what has begun is sent until it is taken.
        await reportUntilTaken(sender, report);
        taken.push(report);
        // Limits the load, so that the loader keeps up.
        await sleep(10);
      }
    };
    const sent = Promise.all(Array.from({ length: senders }, work));
    for (let life = 0; life < times; life++) {
      // The end comes at a random moment.
      await sleep(300 + random() * 900);
      await engage.kill(signal);
      await engage.start();
    }
    stop.abort();
    await sent;
    expect(await storedTotals(engage)).toEqual(totalOf(taken));
    expect(taken).toHaveLength(batches);
    expect(batches).toBeGreaterThan(times);
    // The ends have met reports under way.
    expect(sender.statuses.get(0)).toBeGreaterThan(times);
  },
);
