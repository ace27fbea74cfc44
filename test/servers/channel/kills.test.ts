import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { openEngage } from "../webhook/engage.ts";
import { endedPush, expectOnce, pushConfig, startPush } from "./push.ts";
import { answerAfter, openReceiver } from "./receiver.ts";

const recipients = 100_000;
const batchSize = 100;
const kills = 10;

it("reaches everybody once when the sender is killed every second of a task of 1,000 batches", async () => {
  await using folder = await openTempFolder();
  await using receiver = await openReceiver();
  receiver.answer = answerAfter(100);
  await using engage = await openEngage(folder.path, pushConfig({ concurrency: 8 }));
  const delivery = { batchSize, timeoutSeconds: 60 };
  const taskId = await startPush(engage, { receiver, recipients, delivery });
  // The first falls into the preparation.
  let lifeMs = 50;
  const hit: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await sleep(lifeMs);
    hit.push(receiver.open());
    await engage.kill();
    await engage.start();
    lifeMs = 1_000;
  }
  const { counts, failed } = await endedPush(engage, taskId);
  expectOnce(receiver, recipients);
  const all = { planned: recipients, batched: recipients, sent: recipients, succeeded: recipients };
  expect(counts).toMatchObject({ ...all, batches: 1_000, settledBatches: 1_000 });
  expect(failed).toEqual({});
  // Each kill behind the first has broken attempts off, and no more than were under way.
  expect(hit.slice(1).every((open) => open > 0)).toBe(true);
  const attempts = [...receiver.books.values()].reduce((sum, book) => sum + book.attempts, 0);
  expect(attempts).toBeGreaterThan(1_000);
  expect(attempts - 1_000).toBeLessThanOrEqual(kills * 8);
});
