import { expect, test } from "vitest";
import { failure, openFormat } from "./open-format.ts";

const common = '203.0.113.9 - - [04/Sep/2023:16:46:06 +0800] "GET /a?b=c HTTP/1.1" 200 2326';

const fields = {
  remote_addr: "203.0.113.9",
  time_local: "04/Sep/2023:16:46:06 +0800",
  method: "GET",
  path: "/a?b=c",
  protocol: "HTTP/1.1",
  status: 200,
  body_bytes_sent: 2326,
};

function without(...names: string[]): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

const noRequest = without("method", "path", "protocol");

test.each([
  ["common", common, fields],
  ["a line end", `${common}\r`, fields],
  [
    "combined",
    `${common} "https://example.com/" "curl/8"`,
    { ...fields, referer: "https://example.com/", user_agent: "curl/8" },
  ],
  ["no referer", `${common} "-" "curl/8"`, { ...fields, user_agent: "curl/8" }],
  ["escaped quotes", `${common} "-" "a \\"b\\" \\\\"`, { ...fields, user_agent: 'a "b" \\' }],
  [
    "more fields",
    `${common} "-" "x" 0.003 "1.2.3.4"`,
    { ...fields, user_agent: "x", extra: '0.003 "1.2.3.4"' },
  ],
  ["no size", common.replace("2326", "-"), without("body_bytes_sent")],
  [
    "IPv6 and a user with a blank",
    common.replace("203.0.113.9 - -", "2001:db8::1 id jo doe"),
    { ...fields, remote_addr: "2001:db8::1", ident: "id", remote_user: "jo doe" },
  ],
  ["a path with blanks and quotes", common.replace("/a?b=c", '/a \\"b'), { ...fields, path: '/a "b' }],
  ["a request of nothing", common.replace("GET /a?b=c HTTP/1.1", "-"), noRequest],
  ["an attack", common.replace("GET /a?b=c HTTP/1.1", "\\x16\\x03"), { ...noRequest, request: "\\x16\\x03" }],
])("%s", async (_name, line, values) => {
  const parse = await openFormat({ type: "access_log" });
  expect(parse(line)).toEqual([{ properties: values }]);
});

test.each([
  "hello",
  "1.2.3.4 - - [now] 200",
  common.replace("[", "("),
  common.replace(" 200", " ok"),
  common.replace('HTTP/1.1"', "HTTP/1.1"),
  common.replace(" 200 2326", ""),
])("%s is bad", async (line) => {
  const parse = await openFormat({ type: "access_log" });
  expect(parse(line)).toMatchObject(failure("no_match"));
});

test("its time becomes the record's", async () => {
  const time = { from: "time_local", type: "time", format: "dd/MMM/yyyy:HH:mm:ss Z", outputZone: "UTC" };
  const parse = await openFormat({
    type: "access_log",
    rest: "drop",
    mapping: { "#time": time, "#event_name": { value: "http_request" }, status: "status" },
  });
  expect(parse(common)).toEqual([
    {
      "#time": "2023-09-04 08:46:06.000",
      "#event_name": "http_request",
      properties: { status: 200, "#zone_offset": 0 },
    },
  ]);
});
