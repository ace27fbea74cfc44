import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../../base/package/root.ts";
import { loadConfig } from "../../../cmd/config/config.ts";
import { openFormats } from "../../../services/parser/formats/formats.ts";

const file = "engage.demo.yaml";
const text = readFileSync(join(packageRoot, file), "utf8");
const { config, isDemo } = loadConfig({ env: {}, cwd: packageRoot });
const formats = await openFormats(config.parser);

test("the demo is what is served without a file, and has what the documentation promises", () => {
  expect(isDemo).toBe(true);
  expect(config).toMatchObject({
    listen: { host: "127.0.0.1", port: 8080 },
    auth: { mode: "off" },
    projects: [{ id: 1, appids: ["demo-app"] }],
    analysis: { tokens: [{ token: "demo-token", projects: [1] }] },
    webhook: {
      channels: { demo: { secrets: [{ value: "demo-secret" }], targets: ["log"] } },
      targets: { log: { kind: "log" } },
    },
    parser: { separator: ":ta:" },
  });
  expect(formats.problems).toEqual([]);
});

// The lines are those in the comments of the file.
const samples: readonly (readonly [index: string, line: string, format: string, record: object])[] = [
  [
    "game7.log",
    '{"ACCOUNTID":"a1","OSTYPE":"d1","IP":"203.0.113.9","UID":"7c9c1f0e-1f57-4a66-9c7e-0a5a3c1d2e3f","LOGTM":"2023-09-04 16:46:06","CODE":1001}',
    "game",
    {
      "#type": "track",
      "#account_id": "a1",
      "#distinct_id": "d1",
      "#ip": "203.0.113.9",
      "#uuid": "7c9c1f0e-1f57-4a66-9c7e-0a5a3c1d2e3f",
      "#time": "2023-09-04 16:46:06",
      "#event_name": "event_1001",
      properties: {
        ACCOUNTID: "a1",
        OSTYPE: "d1",
        IP: "203.0.113.9",
        UID: "7c9c1f0e-1f57-4a66-9c7e-0a5a3c1d2e3f",
        LOGTM: "2023-09-04 16:46:06",
        CODE: 1001,
      },
    },
  ],
  [
    "M0001_heart",
    "2023-02-08 12:16:08\u0001appkey1\u00011.00.63\u0001heart\u0001v3\u0001B8320\u00017001\u0001120\u00010",
    "heartbeat",
    {
      "#type": "track",
      "#account_id": "7001",
      "#time": "2023-02-08 12:16:08.000",
      "#event_name": "heart",
      properties: { onlineuser: 120, paidui: 0, "#zone_offset": 8 },
    },
  ],
  [
    "reward-3.log",
    "2022-08-05 06:31:38|player-7|77|10006|7|82613,1648|10059|7|67306",
    "rewards",
    {
      "#type": "track",
      "#account_id": "player-7",
      "#time": "2022-08-05 06:31:38.000",
      "#event_name": "reward",
      properties: {
        rewards: [
          { count: 77, item: "10006", level: 7, total: 82_613 },
          { count: 1648, item: "10059", level: 7, total: 67_306 },
        ],
        "#zone_offset": 8,
      },
    },
  ],
  [
    "/var/log/nginx/access.log.1",
    '203.0.113.9 - - [10/Jan/2024:08:15:02 +0200] "GET /a?b=1 HTTP/1.1" 200 2326 "-" "curl/8.5.0"',
    "access",
    {
      "#type": "track",
      "#distinct_id": "203.0.113.9",
      "#ip": "203.0.113.9",
      "#time": "2024-01-10 08:15:02.000",
      "#event_name": "http_request",
      properties: {
        method: "GET",
        path: "/a?b=1",
        protocol: "HTTP/1.1",
        status: 200,
        body_bytes_sent: 2326,
        user_agent: "curl/8.5.0",
        "#zone_offset": 2,
      },
    },
  ],
  [
    "dpkg.log",
    "2024-01-10 08:15:02 install less:amd64 <none> 590-2",
    "dpkg",
    {
      "#type": "track",
      "#distinct_id": "dpkg",
      "#time": "2024-01-10 08:15:02.000",
      "#event_name": "dpkg_install",
      properties: { detail: "less:amd64 <none> 590-2", "#zone_offset": 0 },
    },
  ],
  [
    "syslog",
    "<34>1 2003-10-11T22:14:15.003Z host app 123 ID47 - message",
    "syslog",
    {
      "#type": "track",
      "#distinct_id": "host",
      "#time": "2003-10-11 22:14:15.003",
      "#event_name": "syslog",
      properties: {
        facility: "auth",
        severity: "crit",
        app_name: "app",
        procid: "123",
        msgid: "ID47",
        message: "message",
        "#zone_offset": 0,
      },
    },
  ],
  ["anything", '{"#type":"track","#account_id":"a"}', "records", { "#type": "track", "#account_id": "a" }],
];

test.each(samples)("%s", (index, line, name, record) => {
  const format = formats.formatFor(index)!;
  expect(format.name).toBe(name);
  expect((format.parseLine(line, index) as readonly string[]).map((json) => JSON.parse(json))).toEqual([
    record,
  ]);
});

const shown = samples
  .map(([, line]) => line.replaceAll("\u0001", "␁").slice(0, 40))
  .filter((line) => !line.includes("#"));

test.each(shown.filter((line) => !line.startsWith("203.")))("the file shows %s", (line) => {
  expect(text).toContain(`# ${line}`);
});

test("a game line without a required field is counted as missing it", () => {
  expect(formats.formatFor("a.json.log")?.parseLine('{"ACCOUNTID":"x"}', "a.json.log")).toMatchObject({
    reason: "missing_key",
  });
});
