import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Logger } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadConfig } from "../../../../cmd/config/config.ts";
import { openClickSpool } from "../../../../cmd/serve/webhook/click-spool.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "click-spool-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const forward = { url: "https://ingest.example.com", appid: "app" };
const fileName = "000000000001.ndjson";
const clicks = () => join(folder, "data", "clicks");

/** Opens the spool, appends some clicks, and closes it; what it logs as errors. */
async function run(count: number, settings: object = { forward }): Promise<readonly string[]> {
  writeFileSync(join(folder, "engage.yaml"), JSON.stringify({ data: "data", webhook: { clicks: settings } }));
  const { config } = loadConfig({ env: {}, cwd: folder });
  const reported: string[] = [];
  const logger = {
    error: ({ reason }: { reason: string }) => void reported.push(reason),
  } as unknown as Logger;
  await using spool = await openClickSpool(config, logger, undefined);
  for (let at = 0; at < count; at++) await spool.append(Buffer.from(JSON.stringify({ at })));
  return reported;
}

it.each([
  {
    what: "deleted",
    lose: () => rmSync(clicks(), { recursive: true }),
    words: `${fileName}" with 3 lines is missing`,
  },
  {
    what: "cut",
    lose: () => truncateSync(join(clicks(), fileName), 10),
    words: `${fileName}" ends at byte 10`,
  },
])("tells once that clicks which wait to be forwarded were $what", async ({ lose, words }) => {
  expect(await run(3)).toEqual([]);
  lose();
  expect(await run(2)).toEqual([expect.stringContaining(words)]);
  expect(await run(1)).toEqual([]);
});

it("says nothing of clicks that were forwarded", async () => {
  await run(3);
  const { length } = readFileSync(join(clicks(), fileName));
  writeFileSync(join(clicks(), "forward.json"), JSON.stringify({ number: 1, offset: length }));
  rmSync(join(clicks(), fileName));
  expect(await run(1)).toEqual([]);
});

it("leaves lines as they are that are for other programs, and lets them take the files", async () => {
  expect(await run(2, {})).toEqual([]);
  expect(readFileSync(join(clicks(), fileName), "utf8")).toBe('{"at":0}\n{"at":1}\n');
  rmSync(clicks(), { recursive: true });
  expect(await run(1, {})).toEqual([]);
  expect(readdirSync(clicks())).toEqual([fileName]);
});
