import { describe, expect, it } from "vitest";
import { type Answer, type CollectorServer, openCollector } from "./collector-server.ts";
import { readCase } from "./record/checking.ts";

interface SdkRequest {
  readonly way: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBase64: string;
}

const { requests, events } = readCase("t020_browser_sdk_requests.json") as {
  requests: readonly SdkRequest[];
  events: readonly number[];
};
const clock = (): number => Date.UTC(2026, 10, 28, 14, 15);

/** Over the socket as the page sent it. */
function send(server: CollectorServer, { method, path, headers, bodyBase64 }: SdkRequest): Promise<Answer> {
  return method === "GET"
    ? server.get(path, headers)
    : server.post(path, Buffer.from(bodyBase64, "base64"), headers);
}

const eventsOf = ({ lines }: CollectorServer): readonly Record<string, unknown>[] =>
  lines.flatMap(({ b }) => b as Record<string, unknown>[]);

describe("what the SDK of browsers sends", () => {
  it.each(requests.map((request, at) => [request.way, request, events[at]!] as const))(
    "%s",
    async (_way, request, count) => {
      const server = await openCollector(clock, ["demo-app"]);
      const { status, text } = await send(server, request);
      expect([status, JSON.parse(text)]).toEqual([
        200,
        request.path.startsWith("/data_debug") ? { errorLevel: 0 } : { code: 0 },
      ]);
      expect(eventsOf(server)).toHaveLength(count);
      expect(eventsOf(server)[0]).toMatchObject({
        "#type": "track",
        "#time": expect.stringContaining("2026-11-28"),
      });
    },
  );

  const paths = ["/sync_js", "/sync_xcx", "/sync", "/sync_data", "/sync_json", "/sync_server", "/logbus"];
  const [image, ajax, , , beacon] = requests as [SdkRequest, SdkRequest, SdkRequest, SdkRequest, SdkRequest];
  it.each(
    paths.flatMap((path) => [image, ajax, beacon].map((request) => [path, request.way, request] as const)),
  )("%s: %s", async (path, _way, request) => {
    const server = await openCollector(clock, ["demo-app"]);
    const { text } = await send(server, { ...request, path: request.path.replace("/sync_js", path) });
    expect(text).toBe('{"code":0}');
    expect(eventsOf(server)).toHaveLength(1);
  });

  it("data_debug takes beacons, too", async () => {
    const server = await openCollector(clock, ["demo-app"]);
    expect((await send(server, { ...beacon, path: "/data_debug" })).text).toBe('{"errorLevel":0}');
    expect(eventsOf(server)).toHaveLength(1);
  });

  it.each([
    ["/sync_js", '{"code":-1,"msg":"Data format error, not json format"}'],
    ["/sync_js?data=%7B%7D", '{"code":-2,"msg":"unknown appid"}'],
    ["/sync_js?appid=demo-app", '{"code":-1,"msg":"Data format error, not json format"}'],
    ["/sync_js?appid=demo-app&data=", '{"code":-1,"msg":"Data format error, not json format"}'],
    ["/sync_js?appid=demo-app&data=%5B%5D", '{"code":0}'],
    [
      "/data_debug?appid=demo-app&data=1",
      '{"errorLevel":2,"errorReasons":["Data format error, not json format"]}',
    ],
    ["/data_debug?appid=nobody&data=%7B%7D", '{"errorLevel":2,"errorReasons":["unknown appid"]}'],
  ])("GET %s", async (path, text) => {
    const server = await openCollector(clock, ["demo-app"]);
    expect((await server.get(path)).text).toBe(text);
    expect(server.lines).toEqual([]);
  });

  it("a dry run by GET keeps nothing", async () => {
    const server = await openCollector(clock, ["demo-app"]);
    const debug = requests[2]!;
    expect((await server.get(`${debug.path}&dryRun=1`)).text).toBe('{"errorLevel":0}');
    expect(server.lines).toEqual([]);
  });
});
