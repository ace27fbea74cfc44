import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Behaviour, openFakePlatform } from "../fake-platform.ts";
import { callers, downloadQuery, openEngine, restCall, token } from "../platform-engine.ts";

const mebibyte = 1_048_576;
const head = "Metric,version,2026-08-23\n";
const row = `Installs,${"x".repeat(87)},7\n`;
const block = Buffer.from(row.repeat(mebibyte / 64 / row.length));

/** Sends a file of this many bytes, no faster than it is read. */
function sendFile(bytes: number, progress: { sent: number }): Behaviour {
  return async ({ response }) => {
    response.writeHead(200, { "content-type": "text/csv" });
    response.write(head);
    progress.sent += head.length;
    while (progress.sent < bytes && !response.destroyed) {
      progress.sent += block.length;
      const drained = response.write(block) || new Promise((resolve) => response.once("drain", resolve));
      await drained;
    }
    response.end();
  };
}

describe("a large download", () => {
  test.each([
    ["rest", 100],
    ["typed", 30],
  ] as const)("by %s of %i MiB is never held as a whole", async (caller, size) => {
    const progress = { sent: 0 };
    await using platform = await openFakePlatform(sendFile(size * mebibyte, progress));
    await using engine = openEngine(platform.url, { timeoutMs: 1_000 });
    const rest = { rest: restCall, typed: undefined }[caller];
    const { signal } = new AbortController();
    let received = 0;
    let ahead = 0;
    for await (const { content } of engine.download(downloadQuery, { signal, rest })) {
      received += sizeOf[content.case as keyof typeof sizeOf](content.value as never);
      ahead = Math.max(ahead, progress.sent - received);
    }
    expect(received).toBe(progress.sent);
    // All that is held anywhere, here and in the buffers of the system.
    expect(ahead / mebibyte).toBeLessThan(15);
  });

  const sizeOf = {
    raw: (bytes: Uint8Array) => bytes.length,
    rows: ({ entries }: { entries: readonly unknown[] }) => entries.length * row.length,
    header: () => head.length,
  };
});

test.each(callers)("a reader who stops holds the platform back: %s", async (caller) => {
  const progress = { sent: 0 };
  await using platform = await openFakePlatform(sendFile(100 * mebibyte, progress));
  await using engine = openEngine(platform.url, { idleTimeoutMs: 200 });
  const rest = { rest: restCall, typed: undefined }[caller];
  const pieces = engine
    .download(downloadQuery, { signal: new AbortController().signal, rest })
    [Symbol.asyncIterator]();
  await pieces.next();
  const settled = async (): Promise<number> => {
    const before = progress.sent;
    await wait(300);
    return progress.sent === before ? before : settled();
  };
  // The rest waits in the buffers of the system and of the two ends.
  expect((await settled()) / mebibyte).toBeLessThan(15);
  // However long the reader takes, it is not the platform that is slow.
  expect((await pieces.next()).done).toBe(false);
  await pieces.return?.();
  await platform.abandoned;
  expect(platform.requests[0]?.search.get("token")).toBe(token);
});
