import { getOption } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { AnalysisProxy } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { http } from "../../../gen/google/api/annotations_pb.ts";
import { token } from "./analysis-server.ts";
import { openMcp } from "./mcp-client.ts";
import { openShop } from "./shop.ts";

const buyers = {
  projectId: 1,
  eventView: { recentDay: "1-2", timeParticleSize: "day" },
  events: [
    { type: "normal", eventName: "buy", analysis: "TRIG_USER_NUM" },
    { type: "normal", eventName: "buy", analysis: "SUM", quota: "price" },
  ],
};
const slice = { ...buyers, eventIndex: 0, sliceDate: "2026-01-02", sliceGroupVal: ["Overall"] };

it("thinkingdata-mcp calls the four endpoints, and reads our errors", { timeout: 60_000 }, async () => {
  const server = await openShop();
  const mcp = await openMcp(server.url, token);
  const query = (endpointName: string, body: object, more: object = {}) =>
    mcp.call("thinkingdata_model_query", { endpointName, body, ...more });

  const analyzed = await query("event_analyze", buyers);
  expect(analyzed).toMatchObject({ status: 200, url: `${server.url}/open/event-analyze?token=***` });
  expect(analyzed.data).toMatchObject({
    return_code: 0,
    return_message: "success",
    data: {
      x: ["2026-01-01", "2026-01-02"],
      y: [
        { "buy.TRIG_USER_NUM": [{ group_cols: ["Overall"], values: ["1", "2"] }] },
        { "buy.price.SUM": [{ group_cols: ["Overall"], values: ["10", "6.5"] }] },
      ],
    },
  });

  const users = await query("event_user_list", slice);
  expect(users.data.data.datalist).toEqual([
    expect.objectContaining({ "#account_id": "ann", "#distinct_id": "device-ann", city: "Köln", vip: 3 }),
    expect.objectContaining({ "#account_id": "bob", "#distinct_id": "device-bob", city: "Berlin", vip: 1 }),
  ]);

  const table = await query("event_analyze_download", buyers, { query: { header: "names" } });
  expect(table.text).toBe(
    [
      '"metric","2026-01-01","2026-01-02"',
      '"buy.TRIG_USER_NUM","1","2"',
      '"buy.price.SUM","10","6.5"',
      "",
    ].join("\n"),
  );

  const selectedColumns = ["#account_id", "city", "vip"];
  // The generic tool, with the path instead of the endpoint's name.
  const list = await mcp.call("thinkingdata_request", {
    path: "/open/streaming-download/event-user-list",
    method: "POST",
    query: { header: "names" },
    body: { ...slice, selectedColumns },
  });
  expect(list.text).toBe('"#account_id","city","vip"\n"ann","Köln","3"\n"bob","Berlin","1"\n');

  const refused = await query("event_analyze", { ...buyers, events: [] });
  expect(refused).toMatchObject({ status: 200, data: { return_code: -1001 } });
  const stranger = await query("event_analyze", buyers, { token: "stranger" });
  expect(stranger).toMatchObject({ status: 200, data: { return_code: -1002 } });
  const elsewhere = await query("retention_analyze", { projectId: 1 });
  expect(elsewhere).toMatchObject({ status: 404, data: { return_code: -1001 } });
});

it("its catalogue of event analysis is what we serve", async () => {
  const mcp = await openMcp("http://127.0.0.1:1", token);
  const { entries } = (await mcp.call("thinkingdata_catalog", { query: "事件分析" })) as unknown as {
    entries: { method: string; path: string }[];
  };
  const { methods } = AnalysisProxy;
  const served = methods.map((method) => getOption(method, http).pattern.value);
  expect(entries.length).toBe(4);
  for (const { method, path } of entries)
    expect([method, served]).toEqual(["POST", expect.arrayContaining([path])]);
});
