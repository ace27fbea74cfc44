import { initWithAsyncBatchMode, initWithBatchMode } from "thinkingdata-node";
import { expect, it } from "vitest";
import { type AnalysisServer, openAnalysisServer } from "./analysis-server.ts";

/** The SDK writes local times, and dates what it does to users by the present. */
const dayAgo = (days: number) => {
  const time = new Date();
  time.setHours(10, 0, 0, 0);
  time.setDate(time.getDate() - days);
  return time;
};
const two = (number: number) => String(number).padStart(2, "0");
const label = (time: Date) => `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
const [first, second] = [dayAgo(3), dayAgo(2)];

/** Each of the SDK's calls, the last of which sends what has been gathered. */
function report(sdk: ReturnType<typeof initWithBatchMode>): Promise<Error | undefined> {
  const ann = { accountId: "ann", distinctId: "device" };
  sdk.track({ distinctId: "device", event: "open", time: first });
  sdk.track({ ...ann, event: "buy", time: first, properties: { price: 10, at: first } });
  sdk.setSuperProperties({ channel: "web" });
  sdk.track({ ...ann, event: "buy", time: second, properties: { price: 2.5 } });
  sdk.track({ accountId: "bob", event: "buy", time: second, properties: { price: 4 } });
  for (const time of [first, second]) {
    sdk.trackFirst({ ...ann, event: "install", time, firstCheckId: "device" });
  }
  sdk.trackUpdate({ ...ann, event: "order", time: first, eventId: "o1", properties: { cost: 5, ok: true } });
  sdk.trackUpdate({ ...ann, event: "order", time: first, eventId: "o1", properties: { cost: 7 } });
  sdk.trackOverWrite({ ...ann, event: "order", time: first, eventId: "o2", properties: { cost: 1 } });
  sdk.userSet({ ...ann, properties: { city: "Köln" } });
  // From here on is the second batch of those in the background, which may arrive before the first.
  sdk.userSetOnce({ ...ann, properties: { city: "Bonn", source: "ad" } });
  sdk.userSet({ ...ann, properties: { trial: true } });
  for (const coins of [5, -2]) sdk.userAdd({ ...ann, properties: { coins } });
  sdk.userAppend({ ...ann, properties: { tags: ["a", "b"] } });
  sdk.userUniqAppend({ ...ann, properties: { tags: ["b", "c"] } });
  sdk.userUnset({ ...ann, property: "trial" });
  sdk.userSet({ accountId: "bob", properties: { city: "Berlin" } });
  sdk.userDel({ accountId: "bob" });
  return new Promise((resolve) => {
    sdk.track({ accountId: "bob", event: "left", time: second, callback: resolve });
    sdk.flush(resolve);
  });
}

const metric = (eventName: string, analysis: string, quota?: string) => ({
  type: "normal",
  eventName,
  analysis,
  ...(quota !== undefined && { quota }),
});

async function ask(server: AnalysisServer, events: object[], view: object = {}) {
  const eventView = { startTime: label(first), endTime: label(second), timeParticleSize: "day", ...view };
  const { data } = await server.ask("/open/event-analyze", {
    projectId: 1,
    useCache: false,
    eventView,
    events,
  });
  return data;
}

it.each([
  ["batches, gzipped", initWithBatchMode, { batchSize: 100 }],
  ["batches in plain text", initWithBatchMode, { batchSize: 100, compress: false }],
  ["batches in the background", initWithAsyncBatchMode, { batchSize: 10 }],
])(
  "what thinkingdata-node reports is what is answered: %s",
  { timeout: 60_000 },
  async (_name, init, config) => {
    const server = await openAnalysisServer({ 1: {} }, Date.now());
    const sdk = init("app-1", server.url, config);
    expect(await report(sdk)).toBeUndefined();
    sdk.close();
    // open, three times buy, one install, two orders, left
    await server.counted(1, 8);

    const { x, y } = await ask(server, [
      metric("buy", "SUM", "price"),
      metric("anyEvent", "TRIG_USER_NUM"),
      metric("install", "TOTAL_TIMES"),
      metric("order", "SUM", "cost"),
      metric("order", "TRUE", "ok"),
    ]);
    const row = (...values: string[]) => [expect.objectContaining({ group_cols: ["Overall"], values })];
    expect(x).toEqual([label(first), label(second)]);
    expect(y).toEqual([
      { "buy.price.SUM": row("10", "6.5") },
      { "anyEvent.TRIG_USER_NUM": row("1", "2") },
      { "install.TOTAL_TIMES": row("1", "0") },
      { "order.cost.SUM": row("8", "0") },
      { "order.ok.TRUE": row("1", "0") },
    ]);

    const groupBy = [
      { columnName: "channel", tableType: "event" },
      { columnName: "city", tableType: "user" },
    ];
    const grouped = await ask(server, [metric("buy", "SUM", "price")], {
      timeParticleSize: "total",
      groupBy,
    });
    expect(grouped.y[0]["buy.price.SUM"]).toMatchObject([
      { group_cols: ["(null)", "Köln"], values: ["10"] },
      { group_cols: ["web", "(null)"], values: ["4"] },
      { group_cols: ["web", "Köln"], values: ["2.5"] },
    ]);

    const users = await server.ask("/open/event-user-list", {
      projectId: 1,
      eventIndex: 0,
      sliceGroupVal: [],
      events: [metric("buy", "TRIG_USER_NUM")],
      eventView: { startTime: label(first), endTime: label(second), timeParticleSize: "total" },
    });
    const ids = { "#account_id": "ann", "#distinct_id": "device" };
    const tags = JSON.stringify(["a", "b", "c"]);
    expect(users.data.datalist).toEqual([
      { "#user_id": 1, ...ids, city: "Köln", source: "ad", coins: 3, tags },
      expect.objectContaining({ "#user_id": 2, "#account_id": "bob" }),
    ]);
    expect(Object.keys(users.data.datalist[1])).not.toContain("city");
  },
);
