import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../base/async/clock.ts";
import { createOutbound } from "../../../../base/net/outbound.ts";
import { openTargets, warnOfOrphans } from "../../../../cmd/serve/webhook/delivery.ts";
import { openSqliteInbox } from "../../../../store/inbox/sqlite/open.ts";
import { folderWith, loadText } from "../../config/load.ts";
import { createLog } from "../../log-lines.ts";

test("messages of removed targets are reported at start", async () => {
  const { lines, logger } = createLog();
  const books = { channel: "mail", accepted: 9, delivered: 4, dead: 0 };
  const counts = async () => [
    { ...books, target: "gone", pending: 5 },
    { ...books, target: "done", pending: 0 },
    { ...books, target: "log", pending: 5 },
  ];
  await warnOfOrphans({ counts }, {}, logger);
  expect(lines.map(({ target }) => target)).toEqual(["gone", "log"]);
});

test("new rules for connections replace only the targets that connect", async () => {
  const folder = folderWith({});
  const opened = await openSqliteInbox({ path: join(folder, "inbox.db"), minFreeBytes: 0, reserveBytes: 0 });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  // A lane leases at once.
  const leased: string[] = [];
  const inbox = new Proxy(opened, {
    get(target, name) {
      const member = Reflect.get(target, name);
      return (...given: Parameters<typeof opened.lease>) => {
        if (name === "lease") leased.push(given[0].target);
        return member.apply(target, given);
      };
    },
  });
  const ignore = () => {};
  await using delivery = openTargets({
    inbox,
    // Lanes look for messages once in this test.
    clock: { ...systemClock, wait: (ms, signal) => systemClock.wait(ms * 1_000, signal) },
    logger: createLog().logger,
    observer: { called: ignore, breakerChanged: ignore, leaseLost: ignore, inboxFailed: ignore },
    attempted: ignore,
    tracer: undefined,
    stopMs: () => 0,
  });
  const targets = {
    file: { kind: "file", path: join(folder, "out.ndjson") },
    log: { kind: "log" },
    web: { kind: "http", url: "https://web.example/" },
  };
  const { webhook } = loadText(JSON.stringify({ webhook: { targets } })).config;
  for (const allow of [[], ["10.0.0.0/8"]])
    await delivery.prepare(webhook.targets, createOutbound({ allow })).apply();
  expect(leased.toSorted()).toEqual(["file", "log", "web", "web"]);
});
