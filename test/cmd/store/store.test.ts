import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openDuckDbStore } from "../../../store/events/duckdb/duckdb.ts";
import { Batches, dayMs, eventOf, updateOf, userOf, vocabulary } from "../../conformance/events/world.ts";
import { smallStore } from "../../store/events/duckdb/duckdb-world.ts";
import { folderWith } from "../config/load.ts";
import { runEngage } from "../run-engage.ts";

/** Long closed, and within the three years that every project keeps at most. */
const oldMs = Math.floor(Date.now() / dayMs) * dayMs - 20 * dayMs;

/** A working folder with a configuration and a store. */
async function makeFolder(
  projects: string,
): Promise<{ cwd: string; open: () => ReturnType<typeof openDuckDbStore> }> {
  const cwd = folderWith({ "engage.yaml": `data: ./data\nprojects: ${projects}\n` });
  const staging = join(cwd, "data", "events", "staging");
  await mkdir(staging, { recursive: true });
  const open = () =>
    openDuckDbStore({ ...smallStore, folder: join(cwd, "data", "events", "store"), stagingFolder: staging });
  await using store = await open();
  const batch = await new Batches(staging).next({
    ...vocabulary,
    events: [eventOf({ t: oldMs }), eventOf({ t: oldMs + 1 }), eventOf({ t: oldMs + 15 * dayMs })],
    updates: [updateOf({ t: oldMs })],
    users: [userOf("seen", { a: "ada" })],
  });
  await store.load(batch);
  return { cwd, open };
}

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);

describe("engage store", () => {
  test("move needs the configuration of the replicas", async () => {
    const { cwd } = await makeFolder("[]");
    const missing = await runEngage(["store", "move"], { cwd });
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("--to <file>")]);
    const same = await runEngage(["store", "move", "--to", "engage.yaml"], { cwd });
    expect([same.code, same.stderr]).toEqual([
      1,
      "engage: --to must be a configuration with stores.driver shared and events in ClickHouse\n",
    ]);
    const { stdout } = await runEngage(["store", "move", "--help"], { cwd });
    expect(stdout).toContain("While a server runs on the data folder, it copies the events of past days.");
  });

  test("stats prints a table, or JSON", async () => {
    const { cwd } = await makeFolder("[]");
    const { stdout, code } = await runEngage(["store", "stats"], { cwd });
    const [head, row, last] = stdout.split("\n");
    expect(head).toMatch(/^PROJECT +DAYS +FIRST +LAST +EVENTS +UPDATABLE +USERS +NAMES +PROPERTIES$/);
    expect(row!.trim().split(/ +/)).toEqual([
      "1",
      "2",
      day(oldMs),
      day(oldMs + 15 * dayMs),
      "3",
      "1",
      "1",
      "2",
      String(vocabulary.newProperties.length),
    ]);
    expect(last).toMatch(/^uses [\d.]+ [KM]iB$/);
    expect(code).toBe(0);
    const json = await runEngage(["store", "stats", "--json"], { cwd });
    expect(JSON.parse(json.stdout)).toMatchObject({ projects: [{ projectId: 1, days: 2, events: 3 }] });
  });

  test("stats tells that there is nothing", async () => {
    const { stdout } = await runEngage(["store", "stats"], {
      cwd: folderWith({ "engage.yaml": "data: ./data\n" }),
    });
    expect(stdout).toMatch(/^no events yet\nuses /);
  });

  test("compact puts days in order and keeps to what the project keeps", async () => {
    const { cwd } = await makeFolder("[{ id: 1, keepDays: 10 }]");
    const first = await runEngage(["store", "compact"], { cwd });
    expect(first.stdout).toMatch(/^1 day compacted, 1 day with 3 events deleted; now .* \(was .*\)\n$/);
    const second = await runEngage(["store", "compact", "--json"], { cwd });
    expect(JSON.parse(second.stdout)).toMatchObject({ rewrittenDays: 0, droppedDays: 0, droppedEvents: 0 });
  });

  test("check finds nothing in a whole store", async () => {
    const { cwd } = await makeFolder("[]");
    expect(await runEngage(["store", "check"], { cwd })).toMatchObject({
      code: 0,
      stdout: "no faults found\n",
    });
    const { stdout } = await runEngage(["store", "check", "--json"], { cwd });
    expect(JSON.parse(stdout)).toEqual({ faults: [] });
  });

  test("names lists what each project has, and how much uses it", async () => {
    const { cwd } = await makeFolder("[]");
    const { stdout } = await runEngage(["store", "names"], { cwd });
    const [head, first] = stdout.split("\n");
    expect(head).toMatch(/^PROJECT +KIND +NAME +TYPE +USED BY$/);
    expect(first!.trim().split(/ +/)).toEqual(["1", "event", "buy", "4"]);
    const json = await runEngage(["store", "names", "--json", "--project", "1"], { cwd });
    const { names } = JSON.parse(json.stdout) as { names: { kind: string; name: string }[] };
    expect(names).toHaveLength(2 + vocabulary.newProperties.length);
    expect((await runEngage(["store", "names", "--project", "7"], { cwd })).stdout).toBe("no names yet\n");
  });

  test("forget removes names and what is stored under them, once it is sure", async () => {
    const { cwd, open } = await makeFolder("[]");
    const options = ["store", "forget", "--project", "1", "--event", "b*", "--property", "PRICE"];
    const asked = await runEngage(options, { cwd });
    expect(asked.stdout).toContain(
      "would delete 1 name of events with 4 events, 1 of properties; add --yes to delete them\n",
    );
    expect((await runEngage(["store", "stats"], { cwd })).stdout).toContain("3          1");
    const done = await runEngage([...options, "--yes"], { cwd });
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("deleted 1 name of events with 4 events, 1 of properties\n"),
    });
    await using store = await open();
    expect(store.schema(1).events.has("buy")).toBe(false);
    expect(store.schema(1).properties.has("event:price")).toBe(false);
    expect(await store.stats()).toMatchObject({ projects: [{ events: 0, updatableEvents: 0, users: 1 }] });
    expect(await store.check(new AbortController().signal)).toEqual([]);
  });

  test("forget keeps what is used more, and prints JSON", async () => {
    const { cwd } = await makeFolder("[]");
    const options = ["store", "forget", "--project", "1", "--event", "*", "--max-uses", "0", "--json"];
    const { stdout } = await runEngage([...options, "--yes"], { cwd });
    expect(JSON.parse(stdout)).toEqual({
      projectId: 1,
      events: 0,
      removed: true,
      names: [{ project: 1, kind: "event", name: "Login", type: "", records: 0 }],
    });
  });

  test.each([
    [["--event", "bye"], 1, 'event "bye" is not known, the nearest is "buy", valid are "buy", "Login"\n'],
    [["--user-property", "price"], 1, 'user property "price" is not known, '],
    [[], 2, "--event, --property or --user-property is required\n"],
    [["--event", "buy", "--max-uses", "x"], 2, "must be a whole number, at least 0"],
  ])("forget %j is refused", async (options, code, message) => {
    const { cwd } = await makeFolder("[]");
    const refused = await runEngage(["store", "forget", "--project", "1", ...options, "--yes"], { cwd });
    expect(refused).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });

  test("says who uses the store", async () => {
    const { cwd, open } = await makeFolder("[]");
    await using _store = await open();
    const { code, stderr, stdout } = await runEngage(["store", "check"], { cwd });
    expect(stderr).toBe(
      `engage: the events in "${join(cwd, "data/events/store/events.duckdb")}" are in use by another process (${process.pid})\n`,
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  });
});
