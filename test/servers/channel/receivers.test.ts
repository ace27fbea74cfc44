import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTempFolder } from "../../store/inbox/temp-folder.ts";
import { type Engage, openEngage } from "../webhook/engage.ts";
import { countsOf, endedPush, expectOnce, pushConfig, startPush } from "./push.ts";
import { type Answer, answerAfter, answerWell, good, openReceiver, type Receiver } from "./receiver.ts";

const recipients = 200;
const batches = 20;
const concurrency = 8;
const delivery = { batchSize: 10, timeoutSeconds: 1, retryIntervalSeconds: 1, strictValidation: true };

let folder: Awaited<ReturnType<typeof openTempFolder>>;
let engage: Engage;

beforeAll(async () => {
  folder = await openTempFolder();
  engage = await openEngage(folder.path, pushConfig({ concurrency }));
});
afterAll(async () => {
  await engage[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** Does one thing at the first attempt of each batch, and answers well from the second on. */
const atFirst =
  (fault: Answer): Answer =>
  (response, attempt) =>
    (attempt === 1 ? fault : answerWell)(response, attempt);

const hang: Answer = () => {};
const reset: Answer = ({ socket }) => void socket!.resetAndDestroy();
const write =
  (bytes: string): Answer =>
  ({ socket }) =>
    void socket!.end(bytes);
const answer =
  (status: number, text: string): Answer =>
  (response) =>
    void response.writeHead(status).end(text);
const cut: Answer = (response) => {
  response.writeHead(200, { "content-length": good.length });
  response.write(good.slice(0, 20), () => response.destroy());
};
/** One part of the answer every 300 ms, so that it never is whole in time. */
const drip: Answer = (response: ServerResponse) => {
  response.writeHead(200, { "content-length": good.length });
  const dripping = setInterval(() => response.write(" "), 300);
  response.on("close", () => clearInterval(dripping));
};
const redirect: Answer = (response) => void response.writeHead(302, { location: "/elsewhere" }).end();

async function push(receiver: Receiver, retries: number) {
  return await startPush(engage, { receiver, recipients, delivery: { ...delivery, retries } });
}

const passing: readonly (readonly [string, Answer])[] = [
  ["hangs", hang],
  ["resets the connection", reset],
  ["closes the connection without an answer", write("")],
  ["cuts its answer", cut],
  ["drips its answer", drip],
  ["answers 503", answer(503, "busy")],
  ["says return_code 1", answer(200, '{"return_code":1,"return_message":"later"}')],
];

describe.concurrent("a receiver that at first", () => {
  it.each(passing)("%s gets every batch again, with the same bytes", async (_what, fault) => {
    await using receiver = await openReceiver();
    receiver.answer = atFirst(fault);
    const { counts, failed } = await endedPush(engage, await push(receiver, 2));
    expectOnce(receiver, recipients);
    expect([...receiver.books.values()].every(({ attempts }) => attempts === 2)).toBe(true);
    expect(counts).toMatchObject({ sent: recipients, succeeded: recipients, retried: batches });
    expect(failed).toEqual({});
  });
});

const lasting: readonly (readonly [string, Answer, attempts: number, reason: string])[] = [
  ["hangs", hang, 2, "timeout"],
  ["resets the connection", reset, 2, "connection"],
  ["cuts its answer", cut, 2, "connection"],
  ["answers 503", answer(503, "busy"), 2, "http_status"],
  ["says return_code 1", answer(200, '{"return_code":1,"return_message":"no"}'), 2, "return_code"],
  ["redirects", redirect, 1, "http_status"],
  ["answers what is no HTTP", write("+PONG\r\n+PONG\r\n"), 1, "invalid_answer"],
  ["answers with a page", answer(200, "<html>hello</html>"), 1, "invalid_answer"],
  ["answers nothing", answer(200, ""), 1, "invalid_answer"],
  ["answers with more than is read", answer(200, " ".repeat(2_000_000)), 1, "invalid_answer"],
];

describe.concurrent("a receiver that always", () => {
  it.each(lasting)("%s is tried as often as set, and no more", async (_what, fault, attempts, reason) => {
    await using receiver = await openReceiver();
    receiver.answer = fault;
    const { counts, failed } = await endedPush(engage, await push(receiver, 1));
    expectOnce(receiver, recipients);
    expect([...receiver.books.values()].every((book) => book.attempts === attempts)).toBe(true);
    expect(counts).toMatchObject({ sent: recipients, settledBatches: batches });
    expect(counts["retried"] ?? 0).toBe((attempts - 1) * batches);
    expect(failed).toEqual({ [reason]: recipients });
  });
});

describe.concurrent("a receiver that comes and goes", () => {
  it("dies with what is under way gets the rest when it is back", async () => {
    await using receiver = await openReceiver();
    receiver.answer = answerAfter(200);
    const taskId = await push(receiver, 10);
    await expect.poll(() => receiver.books.size).toBeGreaterThan(concurrency);
    await receiver.stop();
    // More attempts than those that the stop has cut: some did not reach the receiver.
    const retried = async () => (await countsOf(engage, taskId)).counts["retried"] ?? 0;
    await expect.poll(retried, { timeout: 20_000 }).toBeGreaterThan(concurrency);
    await receiver.start();
    const { counts } = await endedPush(engage, taskId);
    expectOnce(receiver, recipients);
    expect(counts).toMatchObject({ succeeded: recipients });
    expect(counts["retried"]).toBeGreaterThan(0);
  });

  it("is well for half a second and ill for half a second", async () => {
    await using receiver = await openReceiver();
    const begun = performance.now();
    const isWell = (): boolean => Math.floor((performance.now() - begun) / 500) % 2 === 0;
    receiver.answer = (response, attempt) => (isWell() ? answerAfter(50) : reset)(response, attempt);
    const taskId = await push(receiver, 10);
    const { counts } = await endedPush(engage, taskId);
    expectOnce(receiver, recipients);
    expect(counts).toMatchObject({ succeeded: recipients });
  });
});
