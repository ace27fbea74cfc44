import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { folderWith } from "../../config/load.ts";
import { openEventServer, trackOf } from "../../event-server.ts";
import { runEngage } from "../../run-engage.ts";

const patience = { timeout: 20_000 };

describe("server that takes events", () => {
  it("answers queries of them, also after it was started again", async () => {
    const data = folderWith({});
    const server = await openEventServer(data);
    expect(await server.send([trackOf("a"), trackOf("b")])).toBe('{"code":0}');
    await vi.waitFor(async () => expect(await server.times("login")).toBe(2), patience);
    await server.stop();
    const again = await openEventServer(data);
    expect(await again.times("login")).toBe(2);
    await again.send([trackOf("c")]);
    await vi.waitFor(async () => expect(await again.times("login")).toBe(3), patience);
  });

  it("loads what was taken before it ended", async () => {
    const data = folderWith({});
    const late = { events: { batch: { maxDelayMs: 2_000_000 }, spool: { minFreeBytes: 0 } } };
    const server = await openEventServer(data, late);
    await server.send([trackOf("a")]);
    await vi.waitFor(async () => expect(await server.times("login")).toBe(1), patience);
    await server.send([trackOf("b")]);
    await server.stop();
    const again = await openEventServer(data);
    await vi.waitFor(async () => expect(await again.times("login")).toBe(2), patience);
  });

  it("reports results of records after others that are not loaded yet", async () => {
    const late = { events: { batch: { maxDelayMs: 2_000_000 }, spool: { minFreeBytes: 0 } } };
    const server = await openEventServer(folderWith({}), late);
    await server.send([trackOf("a")]);
    await vi.waitFor(async () => expect(await server.times("login")).toBe(1), patience);
    await server.send([trackOf("a", { properties: { lag: 1 } })]);
    const debugged = await server.post("/sync_json?debug=1", [trackOf("b", { properties: { lag: "abc" } })], {
      appid: "app",
    });
    expect(JSON.parse(debugged)).toEqual({
      code: 0,
      records: [{ index: 0, dropped: [{ name: "lag", reason: "type" }] }],
    });
    expect(await server.times("login")).toBe(1);
  });

  it("keeps refused records, and counts all of them", async () => {
    const data = folderWith({});
    const server = await openEventServer(data);
    await server.send([trackOf("a", { "#time": "2001-01-01 00:00:00" }), trackOf("b", { "#uuid": "u" })]);
    await server.send([trackOf("b", { "#uuid": "u" })]);
    const metric = async (name: string) =>
      (await server.get("/metrics")).split("\n").find((line) => line.startsWith(`engage_events_${name} `));
    await vi.waitFor(
      async () => expect(await metric('duplicate_records_total{kind="uuid"}')).toMatch(/ 1$/),
      patience,
    );
    expect(await metric('refused_records_total{source="load",reason="time_too_old"}')).toMatch(/ 1$/);
    expect(await metric('received_records_total{project="1",source="ingest"}')).toMatch(/ 3$/);
    expect(await metric('loaded_records_total{kind="event"}')).toMatch(/ 1$/);
    expect(await metric("lag_bytes")).toMatch(/ 0$/);
    expect(await metric("queries_running")).toMatch(/ 0$/);
    expect(await metric("queries_waiting")).toMatch(/ 0$/);
    const letter = readFileSync(join(data, "deadletters/events.ndjson"), "utf8");
    expect(JSON.parse(letter)).toMatchObject({ source: "event.load", reason: "time_too_old" });
  });

  it.each([
    ["deleted", (file: string) => rmSync(file)],
    ["emptied", (file: string) => writeFileSync(file, "")],
    ["no database", (file: string) => writeFileSync(file, "no database".repeat(1_000))],
  ])("says that the intake is lost when it is %s, though nothing waits", async (_name, damage) => {
    const data = folderWith({});
    const server = await openEventServer(data);
    await server.send([trackOf("a")]);
    await vi.waitFor(async () => expect(await server.times("login")).toBe(1), patience);
    await server.stop();
    for (const name of readdirSync(join(data, "events/spool"))) rmSync(join(data, "events/spool", name));
    for (const end of ["-wal", "-shm"]) rmSync(join(data, `events/intake.db${end}`), { force: true });
    damage(join(data, "events/intake.db"));
    const again = await openEventServer(data);
    const events = async () => JSON.parse(await again.get("/readyz")).checks.events;
    await vi.waitFor(
      async () => expect(await events()).toContain("the intake is missing, damaged"),
      patience,
    );
  });

  it("accepts no records on a disk that is nearly full, and says so", async () => {
    const server = await openEventServer(folderWith({}), { events: { spool: { minFreeBytes: 2 ** 52 } } });
    expect(await server.send([trackOf("a")])).toContain('"code":-1');
    expect(JSON.parse(await server.get("/readyz"))).toMatchObject({
      status: "not ready",
      checks: { events: "accepts no records" },
    });
  });

  it("keeps other processes out of its data folder", async () => {
    const data = folderWith({});
    await openEventServer(data);
    const file = join(folderWith({ "a.ndjson": "" }), "a.ndjson");
    const { code, stderr } = await runEngage(["import", file, "--project", "1"], {
      env: { ENGAGE_DATA: data },
    });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `engage: data folder "${join(data, "events")}" is in use by process ${process.pid}\n`,
    );
  });
});

describe("other sources of events", () => {
  it("are the records that the Parser makes, of the formats that are named", async () => {
    const format = (name: string) => ({
      name,
      index: name,
      type: "json",
      rest: "drop",
      mapping: {
        "#type": { value: "track" },
        "#event_name": { value: name },
        "#account_id": "user",
        "#time": "at",
      },
    });
    const server = await openEventServer(folderWith({}), {
      parser: {
        framing: "lines",
        formats: [format("kept"), format("other")],
        store: { project: 1, formats: ["kept"] },
      },
    });
    const at = trackOf("a")["#time"];
    const line = Buffer.from(`{"user":"a","at":"${at}"}\nno JSON\n{"user":"b","at":"${at}"}\n`);
    for (const index of ["kept", "other"]) {
      const body = { content: line.toString("base64") };
      await server.post("/proto.Parser/Parse", body, {
        "parser-index": index,
        "connect-protocol-version": "1",
      });
    }
    await vi.waitFor(async () => expect(await server.times("kept")).toBe(2), patience);
    expect(await server.times("other")).toBe(0);
  });

  it("are clicks", async () => {
    const server = await openEventServer(folderWith({}));
    const click = { account_id: "a", "#ops_receipt_properties": { id: 1 } };
    expect(await server.post("/v1/webhook/clicks", click)).toContain("uuid");
    await vi.waitFor(async () => expect(await server.times("ops_push_click")).toBe(1), patience);
  });
});
