import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eachWithin } from "../../../services/analysis/time-limit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const stallMs = 5_000;

function openStream(signal = new AbortController().signal) {
  const events: string[] = [];
  async function* source() {
    try {
      for (let number = 0; number < 3; number++) yield number;
      events.push("all given");
    } finally {
      events.push("released");
    }
  }
  return { events, stream: eachWithin(source(), { signal, stallMs }) };
}

describe("a limited stream", () => {
  it("gives all messages to a reader that takes its time", async () => {
    const { events, stream } = openStream();
    const found: number[] = [];
    for await (const message of stream) {
      found.push(message);
      await vi.advanceTimersByTimeAsync(stallMs - 1);
    }
    expect([found, events]).toEqual([
      [0, 1, 2],
      ["all given", "released"],
    ]);
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("releases what makes its messages when the reader stalls, before it asks again", async () => {
    const { events, stream } = openStream();
    await stream.next();
    await vi.advanceTimersByTimeAsync(stallMs);
    expect(events).toEqual(["released"]);
    await expect(stream.next()).rejects.toMatchObject({
      returnCode: -1004,
      message: "the client read nothing for 5 s, so the download was cancelled",
    });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  it("releases it when the signal is aborted between two messages", async () => {
    const controller = new AbortController();
    const { events, stream } = openStream(controller.signal);
    await stream.next();
    controller.abort(new Error("gone"));
    await vi.advanceTimersByTimeAsync(0);
    expect(events).toEqual(["released"]);
    await expect(stream.next()).rejects.toThrow("gone");
  });

  it("asks for nothing when the signal is aborted before", async () => {
    const { events, stream } = openStream(AbortSignal.abort(new Error("gone")));
    await expect(stream.next()).rejects.toThrow("gone");
    expect(events).toEqual([]);
  });

  it("ends with its reader", async () => {
    const { events, stream } = openStream();
    for await (const _ of stream) break;
    await vi.advanceTimersByTimeAsync(0);
    expect([events, vi.getTimerCount()]).toEqual([["released"], 0]);
  });

  it("tells a fault of what makes its messages", async () => {
    async function* source() {
      yield 1;
      throw new Error("broken");
    }
    const stream = eachWithin(source(), { signal: new AbortController().signal, stallMs });
    await stream.next();
    await expect(stream.next()).rejects.toThrow("broken");
    expect(vi.getTimerCount()).toBe(0);
  });
});
