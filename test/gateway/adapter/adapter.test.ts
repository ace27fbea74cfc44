import { setImmediate as nextTurn } from "node:timers/promises";
import type { StreamRequest, StreamResponse, UnaryRequest } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { yieldBetweenMessages } from "../../../gateway/adapter/adapter.ts";

async function* numbers(count: number): AsyncGenerator<number> {
  for (let number = 0; number < count; number++) yield number;
}

async function countTurns(stop: AbortSignal): Promise<number> {
  let turns = 0;
  for (; !stop.aborted; turns++) await nextTurn();
  return turns;
}

/** Reads a stream whose messages have all arrived; returns them and the turns that others had meanwhile. */
async function takeAll(count: number) {
  const stop = new AbortController();
  const turns = countTurns(stop.signal);
  const taken: unknown[] = [];
  const handle = yieldBetweenMessages(async (request) => {
    for await (const message of request.message as AsyncIterable<unknown>) taken.push(message);
    return {} as StreamResponse;
  });
  await handle({ stream: true, message: numbers(count) } as unknown as StreamRequest);
  stop.abort();
  return { taken, turns: await turns };
}

test("others have their turns while a stream with many messages is read, which come in order", async () => {
  const { taken, turns } = await takeAll(3_200);
  expect(taken).toEqual([...Array(3_200).keys()]);
  expect(turns).toBeGreaterThan(90);
});

test("a short stream does not wait for others", async () => {
  const { taken, turns } = await takeAll(31);
  expect([taken.length, turns]).toEqual([31, 1]);
});

test("a message of a unary call is left alone", async () => {
  const request = { stream: false, message: {} } as unknown as UnaryRequest;
  const seen: unknown[] = [];
  await yieldBetweenMessages(async (given) => {
    seen.push(given);
    return {} as StreamResponse;
  })(request);
  expect(seen).toEqual([request]);
});
