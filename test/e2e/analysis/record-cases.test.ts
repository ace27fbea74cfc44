import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readCase } from "../../proto/cases.ts";
import type { AnalysisServer } from "./analysis-server.ts";
import { analyze, type Body, listUsers, login, openCases } from "./cases-server.ts";

const count = (eventName: string, groupBy: readonly string[] = []) => ({
  eventView: {
    startTime: "2015-01-01",
    endTime: "2030-01-01",
    timeParticleSize: "total",
    groupBy: groupBy.map((columnName) => ({ columnName, tableType: "event" })),
  },
  events: [{ type: "normal", eventName, analysis: "TOTAL_TIMES" }],
  useCache: false,
});

/** Rows of group and count, by the text of the group. */
async function countBy(server: AnalysisServer, eventName: string, groupBy: string[], more: object = {}) {
  const { data } = await server.ask(analyze, { projectId: 3, ...count(eventName, groupBy), ...more });
  const entries = Object.values(data.y[0])[0] as { group_cols: string[]; values: string[] }[];
  return entries.map(({ group_cols, values }) => [...group_cols, ...values]).sort();
}

describe("real records", () => {
  it("t001: the manual's sample event", async () => {
    const server = await openCases("2017-12-18");
    await server.report(3, [readCase("t001_rules_track.json")]);
    await server.counted(3, 1);
    const columns = ["argstring", "argNum", "argBool", "#account_id", "#event_time"];
    expect(await countBy(server, "test", columns)).toEqual([
      ["abc", "123", "true", "ABCDEFG-123-abc", "2017-12-18 14:37:28.527", "1"],
    ]);
  });

  it("t003: an event that is updated is one", async () => {
    const server = await openCases("2020-09-01");
    await server.report(3, readCase("t003_track_update_pair.json") as unknown[]);
    await server.counted(3, 1);
    expect(await countBy(server, "ad_cost", ["channel", "cost"])).toEqual([["net", "200", "1"]]);
  });

  it("t004: the second of a first", async () => {
    const server = await openCases("2017-12-19");
    const record = readCase("t004_first_check.json") as Body;
    const other = { ...record, "#event_name": "other_device" };
    await server.report(3, [record, record, other, { ...record, "#first_check_id": "another" }]);
    await server.counted(3, 3);
    expect(await countBy(server, "anyEvent", ["#event_name"])).toEqual([
      ["new_device", "2"],
      ["other_device", "1"],
    ]);
  });

  it("t005: accounts and visitors resolve to their users", async () => {
    const server = await openCases("2026-01-02");
    const steps = readCase("t005_identity_sequence.json") as { record: Body; expect_user_id: number }[];
    await server.report(
      3,
      steps.map(({ record }) => record),
    );
    await server.counted(3, steps.length);
    const expected = steps.map(({ record, expect_user_id }) => [
      String(record["#time"]),
      String(expect_user_id),
      "1",
    ]);
    expect(await countBy(server, "step", ["#event_time", "#user_id"])).toEqual(expected);
  });

  it("t007, t014: what SDKs post", async () => {
    const server = await openCases("2026-01-02");
    const batch = readCase("t007_node_sdk_batch.json") as { body: unknown[] };
    const wire = readCase("t014_sync_server_gzip_wire.json") as { body_base64: string; expect: unknown };
    const packed = Buffer.from(wire.body_base64, "base64");
    await server.report(3, batch.body);
    const response = await fetch(`${server.url}/sync_server`, {
      method: "POST",
      headers: { appid: "app-3", compress: "gzip", "content-type": "application/plaintext" },
      body: packed,
    });
    expect(await response.json()).toEqual(wire.expect);
    await server.counted(3, 2);
    const [record] = JSON.parse(gunzipSync(packed).toString()) as Body[];
    const names = ["test_event", String(record!["#event_name"])];
    const rows = await countBy(server, "anyEvent", ["#event_name"]);
    expect(names).toEqual(expect.arrayContaining(rows.map(([name]) => name)));
    expect(await countBy(server, "test_event", ["prop_double"])).toContainEqual(["134.1", "1"]);
  });

  it("t008: operations on a user, in their order", async () => {
    const server = await openCases("2026-01-02");
    const operations = readCase("t008_user_ops.json") as Body[];
    const seen = { ...login("node_test", "2026-01-02", {}), "#event_name": "seen" };
    const profile = async () => {
      const body = { ...count("seen"), projectId: 3, eventIndex: 0, sliceGroupVal: [] };
      const [user] = (await server.ask(listUsers, body)).data.datalist;
      return user;
    };
    await server.report(3, [...operations.slice(0, 5), seen]);
    await server.counted(3, 1);
    expect(await profile()).toMatchObject({
      "#account_id": "node_test",
      setonceproperty: "set_once",
      prop_double: 0.6,
      prop_int: -222,
      prop_array: '["str3","str4"]',
    });
    await server.report(3, [...operations.slice(5), seen]);
    await server.counted(3, 2);
    expect(Object.keys(await profile()).filter((name) => !name.startsWith("#"))).toEqual([]);
  });

  it("t010: a time in a zone of its own", async () => {
    const server = await openCases("2023-04-17");
    const { record, query_zone_offset, expect_event_time } = readCase("t010_zone_offset_shift.json") as Body;
    await server.report(3, [record]);
    await server.counted(3, 1);
    const zoneOffset = { zoneOffset: query_zone_offset };
    expect(await countBy(server, "tz", ["#event_time"], zoneOffset)).toEqual([[expect_event_time, "1"]]);
  });

  it("t011, t012: what has no place is dropped, what breaks a rule refused", async () => {
    const server = await openCases("2026-01-02");
    const records = readCase("t012_bad_names.json") as Body[];
    await server.report(3, [readCase("t011_preset_at_root_wrong.json"), ...records]);
    await server.counted(3, 2);
    expect(await countBy(server, "anyEvent", ["#event_name", "#os"])).toEqual([
      ["a", "(null)", "1"],
      ["purchase", "(null)", "1"],
    ]);
  });

  it("t015, t017: forms and single records", async () => {
    const server = await openCases("2026-01-02");
    const form = readCase("t015_data_debug_form.json") as { form: Body; expect: unknown };
    const fields = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...form.form, appid: "app-3" }))
      fields.set(name, String(value));
    const debug = await fetch(`${server.url}/data_debug`, { method: "POST", body: fields });
    expect(await debug.json()).toEqual(form.expect);
    const single = readCase("t017_restful_json.json") as Body;
    const headers = { appid: "app-3" };
    const good = await server.post("/sync_json", single["body"], headers);
    expect(await good.json()).toMatchObject(single["expect_ok"] as object);
    const bad = await fetch(`${server.url}/sync_json`, { method: "POST", headers, body: "no json" });
    expect(await bad.json()).toMatchObject(single["expect_bad"] as object);
    await server.counted(3, 2);
  });
});
