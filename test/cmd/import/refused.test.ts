import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openEventServer, trackOf } from "../event-server.ts";
import { day, importFiles, lines, openPlace, type Place } from "./import-place.ts";

describe("refused records", () => {
  const rejectsOf = (place: Place) =>
    readFileSync(join(place.cwd, "rejects"), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const place = () =>
    openPlace({
      "a.ndjson": `${lines(trackOf("a"))}\nno: "JSON"\n${lines(trackOf("b", { "#type": "x" }))}`,
      "b.csv": `who,at\n,now\nbob,${day} 10:00:00\nann,now\n`,
    });
  const map = ["#account_id=who", "#time=at:time", "#event_name:=x"];

  it.each([{}, { dryRun: true }])("are kept with their place and the reason: %j", async (options) => {
    const here = place();
    const rejects = join(here.cwd, "rejects");
    const { err } = await importFiles(here, ["a.ndjson"], { ...options, rejects, examples: 2 });
    expect(err).toMatch(/ {2}bad_line: 1\n {4}.*a\.ndjson:3: it is no JSON\n/);
    expect(err).toMatch(/ {2}type: 1\n {4}.*a\.ndjson:4: #type "x" is not valid/);
    const file = join(here.cwd, "a.ndjson");
    expect(rejectsOf(here)).toEqual([
      { file, line: 3, reason: "bad_line", message: "it is no JSON", data: 'no: "JSON"' },
      {
        file,
        line: 4,
        reason: "type",
        message: expect.stringContaining('#type "x"'),
        data: expect.stringContaining('"b"'),
      },
    ]);
  });

  it("are kept of tables by their row", async () => {
    const here = place();
    const rejects = join(here.cwd, "rejects");
    await importFiles(here, ["b.csv"], { map, rejects });
    expect(rejectsOf(here)).toMatchObject([
      { row: 1, reason: "invalid_value", data: '{"who":"","at":"now"}' },
      { row: 3, reason: "invalid_value", data: '{"who":"ann","at":"now"}' },
    ]);
  });

  it("are kept of a server too", async () => {
    const here = place();
    const rejects = join(here.cwd, "rejects");
    const { url } = await openEventServer(openPlace().data);
    await importFiles(here, ["a.ndjson"], { url, rejects, project: 1 });
    expect(rejectsOf(here)).toMatchObject([
      { line: 3, data: 'no: "JSON"' },
      { line: 4, data: expect.stringContaining('"b"') },
    ]);
  });

  it("are kept of a large file for a server too", async () => {
    const many = Array.from({ length: 20_000 }, () => lines(trackOf("a"))).join("");
    const bad = lines(trackOf("b", { "#type": "x" }));
    const here = openPlace({ "large.ndjson": `${bad}${many}${bad}` });
    const rejects = join(here.cwd, "rejects");
    const { url } = await openEventServer(openPlace().data);
    await importFiles(here, ["large.ndjson"], { url, rejects, project: 1 });
    const row = { reason: "type", data: expect.stringContaining('"b"') };
    expect(rejectsOf(here)).toMatchObject([
      { line: 1, ...row },
      { line: 20_002, ...row },
    ]);
  });

  it("are not written over what is read, nor where nothing can be", async () => {
    const here = place();
    const rejects = join(here.cwd, "a.ndjson");
    await expect(importFiles(here, ["a.ndjson"], { rejects })).rejects.toThrow(
      "is one of the files that are read",
    );
    const folder = importFiles(here, ["a.ndjson"], { rejects: here.cwd });
    await expect(folder).rejects.toThrow(
      `cannot write ${JSON.stringify(here.cwd)}: it is a folder, not a file`,
    );
  });
});
