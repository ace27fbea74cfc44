import { describe, expect, it } from "vitest";
import { nowMs, openCollector } from "../collector-server.ts";
import { bad, form, plain, record } from "./requests.ts";

describe("debug", () => {
  it("tells of each record what is wrong, and keeps the good ones", async () => {
    const server = await openCollector();
    const odd = { ...record, "#os": "x", properties: { price: 1, "#user_id": 2 } };
    const { text } = await server.post("/sync_json", JSON.stringify([record, bad, odd]), {
      ...plain,
      debug: "1",
    });
    expect(JSON.parse(text)).toEqual({
      code: 0,
      records: [
        {
          index: 1,
          reason: "event_name",
          field: "#event_name",
          message:
            '#event_name "1a" is not valid, valid is a letter followed by at most 49 letters, digits and underscores',
        },
        {
          index: 2,
          dropped: [
            { name: "#os", reason: "root_key" },
            { name: "#user_id", reason: "reserved" },
          ],
        },
      ],
    });
    expect(server.lines).toEqual([{ p: 1, r: nowMs, b: [record, odd] }]);
    expect(server.letters).toMatchObject([
      { source: "event", index: "project 1", reason: "event_name", line: JSON.stringify(bad) },
    ]);
    expect(server.reported).toEqual([
      ["taken", 1, "ingest_debug", 2],
      ["refused", 1, "ingest_debug", "event_name"],
      ["dropped", 1, "ingest_debug", "root_key"],
      ["dropped", 1, "ingest_debug", "reserved"],
    ]);
  });

  it("is −1 when no record was taken", async () => {
    const server = await openCollector();
    const { text } = await server.post("/sync_json?debug=1", JSON.stringify(bad), plain);
    expect(JSON.parse(text)).toMatchObject({ code: -1, records: [{ index: 0, reason: "event_name" }] });
    expect(server.lines).toEqual([]);
  });

  it.each([
    [
      { ...record, properties: { "#user_id": 1 } },
      { errorLevel: 1, errorProperties: [{ propertyName: "#user_id", errorReason: "reserved" }] },
      1,
    ],
    [
      { ...record, "#time": "today" },
      {
        errorLevel: 2,
        errorReasons: ['#time "today" is not valid, valid is yyyy-MM-dd HH:mm:ss or yyyy-MM-dd HH:mm:ss.SSS'],
      },
      0,
    ],
  ])("data_debug tells what is wrong with %j", async (data, answer, kept) => {
    const server = await openCollector();
    const body = new URLSearchParams({ appid: "APP_ID", data: JSON.stringify(data), dryRun: "0" });
    expect(JSON.parse((await server.post("/data_debug", body.toString(), form)).text)).toEqual(answer);
    expect(server.lines).toHaveLength(kept);
  });

  it.each([
    ["appid=nobody&data={}", "unknown appid"],
    ["appid=APP_ID&data=x", "Data format error, not json format"],
  ])("data_debug refuses %s", async (body, reason) => {
    const server = await openCollector();
    const { text } = await server.post("/data_debug", body, form);
    expect(JSON.parse(text)).toEqual({ errorLevel: 2, errorReasons: [reason] });
  });

  it("dryRun keeps nothing, not even letters", async () => {
    const server = await openCollector();
    const body = new URLSearchParams({ appid: "APP_ID", data: JSON.stringify([record, bad]), dryRun: "1" });
    expect(JSON.parse((await server.post("/data_debug", body.toString(), form)).text)).toMatchObject({
      errorLevel: 2,
    });
    expect([server.lines, server.letters, server.reported]).toEqual([[], [], []]);
  });
});
