import { describe, expect, test, vi } from "vitest";
import { folderWith } from "../config/load.ts";
import { type EventServer, openEventServer, trackOf } from "../event-server.ts";
import { type RunResult, runEngage } from "../run-engage.ts";

const patient = { timeout: 20_000, interval: 50 };
const nowhere = { ENGAGE_CONFIG: "nowhere.yaml", ENGAGE_TOKEN: "query-token" };

async function openFilled(settings: object = {}, data = folderWith({})): Promise<EventServer> {
  const server = await openEventServer(data, settings);
  const day = { "#time": "2026-03-01 12:00:00" };
  await server.send([
    trackOf("ann", { ...day, properties: { price: 2.5, city: "Bern" } }),
    trackOf("bob", { ...day, "#time": "2026-03-02 12:00:00", properties: { city: "Bern\u001b[31m" } }),
    trackOf("bob", { ...day, "#event_name": "buy", properties: { city: "Oslo", tags: ["a", "b"] } }),
    { "#type": "user_set", "#account_id": "ann", ...day, properties: { level: 3 } },
  ]);
  const path = "/v1/projects/1/events?token=query-token";
  await vi.waitFor(async () => {
    const { events } = JSON.parse(await server.get(path)) as { events: { count: string }[] };
    expect(events.map(({ count }) => count)).toEqual(["1", "2"]);
  }, patient);
  return server;
}

const shownBy =
  (server: EventServer) =>
  (...args: string[]): Promise<RunResult> =>
    runEngage([...args, "--url", server.url], { env: nowhere });

const linesOf = ({ stdout }: RunResult): string[][] =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/));

describe("a running server", () => {
  test("has events, and one with its properties", async () => {
    const engage = shownBy(
      await openFilled({ projects: [{ id: 1, appids: ["app"], displayNames: { price: "Price" } }] }),
    );
    expect(linesOf(await engage("events"))).toEqual([
      ["EVENT", "COUNT", "FIRST DAY", "LAST DAY", "PROPERTIES"],
      ["buy", "1", "2026-03-01", "2026-03-01", "2"],
      ["login", "2", "2026-03-01", "2026-03-02", "2"],
    ]);
    expect((await engage("events", "--order", "count", "--limit", "1")).stdout).toContain("login");
    expect((await engage("events", "--prefix", "x")).stdout).toBe("no events\n");
    expect(linesOf(await engage("events", "login", "--project", "1"))).toEqual([
      ["PROPERTY", "TYPE", "COUNT", "DISPLAY NAME"],
      ["city", "text", "2"],
      ["price", "number", "1", "Price"],
    ]);
    const json = (await engage("events", "--json")).stdout.trimEnd().split("\n");
    expect(json.map((line) => JSON.parse(line))).toMatchObject([
      {
        name: "buy",
        count: "1",
        properties: [{ name: "city" }, { name: "tags", type: "PROPERTY_TYPE_LIST" }],
      },
      { name: "login", count: "2" },
    ]);
  });

  test("has properties, and one with its values, without what would steer the terminal", async () => {
    const engage = shownBy(await openFilled());
    expect(linesOf(await engage("properties", "--event", "buy", "--prefix", "t"))).toEqual([
      ["PROPERTY", "TYPE", "KIND", "COUNT", "EVENTS", "DISPLAY NAME"],
      ["tags", "list", "custom", "1", "1"],
    ]);
    expect(linesOf(await engage("properties", "--table", "user", "--prefix", "level"))[1]).toEqual([
      "level",
      "number",
      "custom",
      "1",
      "0",
    ]);
    expect(linesOf(await engage("properties", "city"))).toEqual([
      ["VALUE", "COUNT", "SHARE"],
      ["Bern", "1", "33.33%"],
      ["Bern\\u001b[31m", "1", "33.33%"],
      ["Oslo", "1", "33.33%"],
    ]);
    expect(
      linesOf(await engage("properties", "city", "--from", "2026-03-02", "--to", "2026-03-02")),
    ).toHaveLength(2);
    const json = await engage("properties", "price", "--json");
    expect(JSON.parse(json.stdout)).toEqual({ value: "2.5", count: "1", share: 1 });
    expect((await engage("properties", "city", "--prefix", "x")).stdout).toBe("no values\n");
  });

  test.each(["properties/city/values", "events/login", "properties?event=login"])(
    "knows its %s right after a start",
    async (path) => {
      const data = folderWith({});
      await (await openFilled({}, data)).stop();
      const server = await openEventServer(data);
      const found = await server.get(
        `/v1/projects/1/${path}${path.includes("?") ? "&" : "?"}token=query-token`,
      );
      expect(JSON.parse(found)).not.toHaveProperty("code");
    },
  );

  test("names what is wrong", async () => {
    const projects = [
      { id: 1, appids: ["app"] },
      { id: 2, appids: ["other"] },
    ];
    const server = await openEventServer(folderWith({}), { projects });
    const engage = shownBy(server);
    const refused = async (...args: string[]) => {
      const { code, stderr } = await engage(...args);
      return [code, stderr];
    };
    const fault = (text: string) => [1, `engage: ${server.url}: ${text}\n`];
    expect(await refused("events")).toEqual([
      1,
      "engage: there are 2 projects, give --project, valid are 1, 2\n",
    ]);
    expect(await refused("events", "--project", "9")).toEqual(fault("project_id is 9, valid are 1, 2"));
    expect(await refused("events", "x", "--project", "1")).toEqual(
      fault('event "x" is unknown, there are none'),
    );
    expect(await refused("events", "--token", "x", "--project", "1")).toEqual(fault("the token is unknown"));
    const [code, stderr] = await refused("properties", "--from", "2026-01-01");
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("--from and --to are for values, give the name of a property with them"),
    ]);
  });
});
