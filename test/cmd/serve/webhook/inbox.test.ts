import { describe, expect, it } from "vitest";
import { createInboxCheck } from "../../../../cmd/serve/webhook/inbox.ts";
import type { InboxHealth } from "../../../../store/inbox/inbox.ts";
import { createLog } from "../../log-lines.ts";

describe("readiness", () => {
  const fine: InboxHealth = {
    writable: true,
    reason: null,
    oldestPendingMs: 5_000,
    usedBytes: 1,
    freeBytes: 1,
  };
  const signal = new AbortController().signal;

  it.each([
    [fine, undefined, undefined],
    [fine, 5_000, undefined],
    [fine, 4_999, "a message has waited for longer than 4999 ms"],
    [{ ...fine, oldestPendingMs: null }, 1, undefined],
    [
      { ...fine, writable: false, reason: 'disk of "/srv/inbox.db" is full' },
      undefined,
      "accepts no batches",
    ],
  ])("of %j with the limit %j is %j", async (health, maxPendingAgeMs, expected) => {
    const check = createInboxCheck({ health: async () => health }, () => maxPendingAgeMs, createLog().logger);
    expect(await check(signal)).toBe(expected);
  });

  it("logs the reason once, and its end", async () => {
    const { lines, logger } = createLog();
    let health: InboxHealth = { ...fine, writable: false, reason: "disk full" };
    const check = createInboxCheck({ health: async () => health }, () => undefined, logger);
    await check(signal);
    await check(signal);
    health = fine;
    await check(signal);
    expect(lines).toEqual([
      { level: "error", reason: "disk full", msg: "inbox accepts no batches" },
      { level: "info", msg: "inbox accepts batches again" },
    ]);
  });
});
