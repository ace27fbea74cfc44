import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../cmd/config/config.ts";
import { openLedger } from "../../../cmd/import/ledger.ts";
import type { ImportOptions } from "../../../cmd/import/target.ts";
import { trackOf } from "../event-server.ts";
import { exported, importFiles, lines, openPlace, type Place } from "./import-place.ts";

describe("the same file again", () => {
  const twice = async (
    first: ImportOptions,
    second: ImportOptions,
    text = lines(trackOf("a"), trackOf("b")),
  ) => {
    const place = openPlace({ "a.ndjson": text });
    await importFiles(place, ["a.ndjson"], first);
    const again = importFiles(place, ["a.ndjson"], second).then(
      ({ err }) => err,
      (error: Error) => error.message,
    );
    return { place, text: await again };
  };
  const countOf = async (place: Place) => (await exported(place, { users: false })).length;

  it("is refused, since its events would be counted twice", async () => {
    const { place, text } = await twice({}, {});
    expect(text).toMatch(
      /^".*a\.ndjson" was imported at \S+: its events would be counted twice; --again imports/,
    );
    expect(await countOf(place)).toBe(2);
  });

  it("is refused by its content, whatever its name is", async () => {
    const { place } = await twice({}, { again: true });
    writeFileSync(join(place.cwd, "b.ndjson"), readFileSync(join(place.cwd, "a.ndjson")));
    await expect(importFiles(place, ["b.ndjson"])).rejects.toThrow(
      /"\S+b\.ndjson" was imported at \S+ as "\S+a\.ndjson"/,
    );
    const both = importFiles(openPlace({ "a.ndjson": lines(trackOf("a")) }), ["a.ndjson", "./a.ndjson"]);
    await expect(both).rejects.toThrow("are the same, whose events would be counted twice");
  });

  it.each<[string, ImportOptions, ImportOptions, number]>([
    ["with --again", {}, { again: true }, 4],
    ["by another mapping", {}, { map: ["#account_id=#account_id"] }, 4],
    ["after a dry run", { dryRun: true }, {}, 2],
  ])("is taken %s", async (_name, first, second, events) => {
    const { place, text } = await twice(first, second);
    expect(text).toMatch(/^\d+ records? stored|^\d+ records stored/);
    expect(await countOf(place)).toBe(events);
  });

  it("is taken with a warning where its records carry #uuid", async () => {
    const { text } = await twice({}, {}, lines(trackOf("a", { "#uuid": "u" })));
    expect(text).toMatch(
      /^engage: warning: ".*a\.ndjson" was imported at .*, but for records whose #uuid is still known\n/,
    );
  });

  it("is taken after the part that was imported, and not before it", () => {
    const { cwd } = openPlace({ "a.ndjson": lines(trackOf("a"), trackOf("b")) });
    const file = join(cwd, "a.ndjson");
    const { config } = loadConfig({ env: {}, cwd });
    const ledger = (skip: number) => openLedger(config, 1, { skip });
    ledger(0).record([file], { files: [file], skip: 1 });
    expect(ledger(1).check([file], () => false)).toEqual([]);
    expect(() => ledger(0).check([file], () => false)).toThrow(
      /1 lines of ".*" were imported at .*: --skip 1 goes on/,
    );
    ledger(1).record([file], { files: [], skip: 0 });
    expect(() => ledger(1).check([file], () => false)).toThrow("was imported at");
  });

  it("is taken when it has grown", async () => {
    const { place } = await twice({}, { again: true });
    appendFileSync(join(place.cwd, "a.ndjson"), lines(trackOf("c")));
    expect((await importFiles(place, ["a.ndjson"], { skip: 2 })).err).toMatch(/^1 record stored/);
  });
});
