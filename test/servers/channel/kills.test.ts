import { expect, it, vi } from "vitest";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { openEngage } from "../webhook/engage.ts";
import { endedPush, expectOnce, pushConfig, startPush } from "./push.ts";
import { answerAfter, openReceiver } from "./receiver.ts";

const recipients = 100_000;
const batchSize = 100;
const kills = 8;
const concurrency = 8;

it(`reaches everybody once when the sender is killed ${kills} times in a task of 1,000 batches`, async () => {
  await using folder = await openTempFolder();
  await using receiver = await openReceiver();
  receiver.answer = answerAfter(60);
  await using engage = await openEngage(folder.path, pushConfig({ concurrency }));
  const delivery = { batchSize, timeoutSeconds: 60 };
  const taskId = await startPush(engage, { receiver, recipients, delivery });
  // The first kill comes during the preparation, the others during attempts, when more batches have come.
  for (let kill = 0; kill < kills; kill++) {
    await engage.kill();
    await engage.start();
    const before = receiver.books.size;
    await vi.waitUntil(() => receiver.books.size >= before + 80, { timeout: 20_000, interval: 5 });
    await vi.waitUntil(() => receiver.open() > 0, { timeout: 20_000, interval: 1 });
  }
  await engage.kill();
  await engage.start();
  const { counts, failed } = await endedPush(engage, taskId);
  expectOnce(receiver, recipients);
  const all = { planned: recipients, batched: recipients, sent: recipients, succeeded: recipients };
  expect(counts).toMatchObject({ ...all, batches: 1_000, settledBatches: 1_000 });
  expect(failed).toEqual({});
  const attempts = [...receiver.books.values()].reduce((sum, book) => sum + book.attempts, 0);
  expect(attempts - 1_000).toBeGreaterThanOrEqual(kills);
  // Attempts that the receiver saw, and at most those that a kill kept on their way.
  expect(counts["retried"]).toBeGreaterThanOrEqual(attempts - 1_000);
  expect(counts["retried"]).toBeLessThanOrEqual(attempts - 1_000 + (kills + 1) * concurrency);
  // Attempts in flight, and responses that were still to be committed.
  expect(attempts - 1_000).toBeLessThanOrEqual((kills + 1) * 3 * concurrency);
});
