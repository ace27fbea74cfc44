import { describe, expect, test, vi } from "vitest";
import { type Behaviour, openFakePlatform } from "../fake-platform.ts";
import { callers, downloadQuery, openEngine, restCall, token } from "../platform-engine.ts";

const mebibyte = 1_048_576;
const head = "Metric,version,2026-08-23\n";
const row = `Installs,${"x".repeat(87)},7\n`;
const block = Buffer.from(row.repeat(mebibyte / 64 / row.length));

interface Progress {
  sent: number;
  /** The time since which the platform waits for its reader; undefined while it sends. */
  heldSinceMs?: number | undefined;
}

/** Sends a file of this many bytes, no faster than it is read. */
function sendFile(bytes: number, progress: Progress): Behaviour {
  return async ({ response }) => {
    response.writeHead(200, { "content-type": "text/csv" });
    response.write(head);
    progress.sent += head.length;
    while (progress.sent < bytes && !response.destroyed) {
      progress.sent += block.length;
      const drained = response.write(block) || new Promise((resolve) => response.once("drain", resolve));
      progress.heldSinceMs = performance.now();
      await drained;
      progress.heldSinceMs = undefined;
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
    // The limit includes everything that is buffered, here and in the system.
    expect(ahead / mebibyte).toBeLessThan(15);
  });

  const sizeOf = {
    raw: (bytes: Uint8Array) => bytes.length,
    rows: ({ entries }: { entries: readonly unknown[] }) => entries.length * row.length,
    header: () => head.length,
  };
});

test.each(callers)("a reader who stops holds the platform back: %s", async (caller) => {
  const progress: Progress = { sent: 0 };
  await using platform = await openFakePlatform(sendFile(100 * mebibyte, progress));
  const idleTimeoutMs = 200;
  await using engine = openEngine(platform.url, { idleTimeoutMs });
  const rest = { rest: restCall, typed: undefined }[caller];
  const pieces = engine
    .download(downloadQuery, { signal: new AbortController().signal, rest })
    [Symbol.asyncIterator]();
  await pieces.next();
  const isHeld = () => performance.now() - (progress.heldSinceMs ?? Infinity) > 1.5 * idleTimeoutMs;
  await vi.waitUntil(isHeld, { timeout: 20_000, interval: 10 });
  // The buffers of the system and of both ends have the rest.
  expect(progress.sent / mebibyte).toBeLessThan(15);
  // The platform is not blamed for a reader that takes longer than the idle timeout.
  expect((await pieces.next()).done).toBe(false);
  await pieces.return?.();
  await platform.abandoned;
  expect(platform.requests[0]?.search.get("token")).toBe(token);
});
