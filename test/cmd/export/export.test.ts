import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { runExport } from "../../../cmd/export/export.ts";
import { trackOf } from "../event-server.ts";
import { day, exported, importFiles, lines, openPlace, run, signal } from "../import/import-place.ts";

describe("export", () => {
  const records = [
    trackOf("a", { properties: { n: 1, list: ["x"], object: { k: "v" }, group: [{ k: 1 }, { k: 2 }] } }),
    trackOf("b", { "#time": `${day} 00:00:00.001`, "#distinct_id": "d" }),
    { "#type": "user_set", "#time": `${day} 00:00:00`, "#account_id": "a", properties: { level: 3 } },
  ];

  it("writes what import takes, and the same comes out again", async () => {
    const place = openPlace({ "a.ndjson": lines(...records) });
    await importFiles(place, ["a.ndjson"]);
    const file = join(place.cwd, "out.ndjson.gz");
    const { err } = await run((streams) => runExport({ env: {}, cwd: place.cwd }, file, {}, streams, signal));
    expect(err).toBe("4 records exported\n");
    const first = gunzipSync(readFileSync(file)).toString();
    const other = openPlace({ "a.ndjson": first });
    await importFiles(other, ["a.ndjson"], { strict: true });
    const withoutTimes = (all: readonly Record<string, unknown>[]) =>
      all.map((record) => (record["#type"] === "user_set" ? { ...record, "#time": "" } : record));
    const before = first
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    expect(withoutTimes(await exported(other))).toEqual(withoutTimes(before));
  });

  it("comes back into its own project beside what is there, but for what has an id", async () => {
    const updatable = { "#type": "track_update", "#event_id": "e1" };
    const place = openPlace({ "a.ndjson": lines(trackOf("a", { "#uuid": "u" }), trackOf("b", updatable)) });
    await importFiles(place, ["a.ndjson"]);
    const before = await exported(place, { users: false });
    writeFileSync(join(place.cwd, "out.ndjson"), lines(...before));
    await importFiles(place, ["out.ndjson"]);
    const after = await exported(place, { users: false });
    expect(after.map((record) => record["#account_id"]).sort()).toEqual(["a", "a", "b"]);
  });

  it("leaves out users and other days if configured", async () => {
    const place = openPlace({ "a.ndjson": lines(...records) });
    await importFiles(place, ["a.ndjson"]);
    expect((await exported(place, { users: false, from: day, to: day })).length).toBe(2);
    expect(await exported(place, { users: false, to: "2020-01-01" })).toEqual([]);
  });

  it.each([
    { options: { from: "yesterday" }, message: '--from is "yesterday", give a day such as' },
    {
      options: { from: "2026-02-02", to: "2026-02-01" },
      message: "--from 2026-02-02 is after --to 2026-02-01",
    },
    { options: { project: 3 }, message: "there is no project 3, valid are 1" },
  ])("refuses $options", async ({ options, message }) => {
    await expect(exported(openPlace(), options)).rejects.toThrow(message);
  });
});
