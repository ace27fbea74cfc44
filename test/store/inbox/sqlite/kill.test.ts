import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import type { Inbox } from "../../../../store/inbox/inbox.ts";
import { openSqliteInbox } from "../../../../store/inbox/sqlite/open.ts";
import { casesOf } from "../../../thorough.ts";
import { openTempFolder } from "../temp-folder.ts";

const script = join(import.meta.dirname, "accept-loop.ts");

/** Kills an accepting process after it has acknowledged some batches; resolves to all it acknowledged. */
async function acceptUntilKilled(path: string, run: number): Promise<string[]> {
  const child = spawn(process.execPath, [script, path, `${run}`], { stdio: ["ignore", "pipe", "inherit"] });
  const acknowledged: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => {
    acknowledged.push(line);
    // Another number each time, so that the kill meets other moments of a commit.
    if (acknowledged.length === 3 + run * 2) child.kill("SIGKILL");
  });
  await Promise.all([once(child, "exit"), once(lines, "close")]);
  return acknowledged;
}

async function requestIdsIn(inbox: Inbox): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const page = await inbox.deliveries({}, { limit: 1000, ...(after === undefined ? {} : { after }) });
    ids.push(...page.items.filter(({ index }) => index === 0).map(({ requestId }) => requestId!));
    after = page.next ?? undefined;
  } while (after !== undefined);
  return ids;
}

const kills = casesOf(20);

it(`loses no acknowledged batch in ${kills} kills`, { timeout: 120_000 }, async () => {
  await using folder = await openTempFolder();
  const path = join(folder.path, "inbox.db");
  const acknowledged: string[] = [];
  for (let run = 0; run < kills; run++) acknowledged.push(...(await acceptUntilKilled(path, run)));
  const mark = { path: `${path}.mark`, advice: "accept it" };
  await using inbox = await openSqliteInbox({
    path,
    mark,
    checkAtOpen: true,
    reserveBytes: 0,
    minFreeBytes: 0,
  });
  const stored = await requestIdsIn(inbox);
  expect(acknowledged.length).toBeGreaterThanOrEqual(kills * 3);
  expect(acknowledged.filter((id) => !stored.includes(id))).toEqual([]);
  expect(new Set(stored).size).toBe(stored.length);
  const books = { accepted: stored.length * 20, delivered: 0, dead: 0, pending: stored.length * 20 };
  expect(await inbox.counts({ recount: true })).toMatchObject([books]);
  expect(await inbox.counts()).toMatchObject([books]);
});
