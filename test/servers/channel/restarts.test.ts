import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { mostInSecond } from "../../base/async/most-within.ts";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { openEngage } from "../webhook/engage.ts";
import { pushConfig, startPush } from "./push.ts";
import { answerAfter, openReceiver } from "./receiver.ts";

const rateLimit = 20;
/**
 * The length of a life is the point: it is shorter than the wait of a process which counts the share of its
 * predecessor from its own start.
 */
const lifeMs = 900;

it("goes on with a rated channel when each process is killed soon after its start", async () => {
  await using folder = await openTempFolder();
  await using receiver = await openReceiver();
  receiver.answer = answerAfter(5);
  await using engage = await openEngage(folder.path, pushConfig());
  await startPush(engage, { receiver, recipients: 1_000, delivery: { batchSize: 1, rateLimit } });
  await vi.waitUntil(() => receiver.times.length > rateLimit, { timeout: 20_000, interval: 5 });
  const begun = receiver.times.length;
  for (let life = 0; life < 5; life++) {
    await engage.kill();
    await engage.start();
    await sleep(lifeMs);
  }
  expect(receiver.times.length).toBeGreaterThan(begun);
  expect(mostInSecond(receiver.times)).toBeLessThanOrEqual(rateLimit);
});
