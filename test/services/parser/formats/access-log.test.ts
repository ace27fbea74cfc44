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
    "IPv6 and a user with a space",
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

const caller = (text: string) => common.replace("203.0.113.9 - -", text);

test.each([
  [
    "a virtual host with its port",
    "www.example.com:443 203.0.113.9 - -",
    { host: "www.example.com", server_port: 443 },
  ],
  ["a virtual host", "www.example.com 203.0.113.9 - -", { host: "www.example.com" }],
  ["a virtual host that is an address", "10.0.0.1:80 203.0.113.9 - -", { host: "10.0.0.1", server_port: 80 }],
  ["a virtual host in IPv6", "[::1]:80 203.0.113.9 - -", { host: "::1", server_port: 80 }],
  ["no virtual host in its place", "- 203.0.113.9 - -", {}],
  ["a default host", "_:80 203.0.113.9 - jo", { host: "_", server_port: 80, remote_user: "jo" }],
  [
    "a virtual host and a user with a space",
    "www.example.com:443 203.0.113.9 - jo doe",
    { host: "www.example.com", server_port: 443, remote_user: "jo doe" },
  ],
  [
    "a virtual host and an address in IPv6",
    "www.example.com:443 2001:db8::1 - -",
    { host: "www.example.com", server_port: 443, remote_addr: "2001:db8::1" },
  ],
  [
    "a virtual host and the name of a caller",
    "www.example.com client.example.net - -",
    { host: "www.example.com", remote_addr: "client.example.net" },
  ],
  [
    "a virtual host and forwarded addresses",
    "www.example.com:443 203.0.113.9, 10.0.0.1 - -",
    { host: "www.example.com", server_port: 443, forwarded_for: "203.0.113.9, 10.0.0.1" },
  ],
  [
    "forwarded addresses",
    "203.0.113.9, 10.0.0.1, 10.0.0.2 - jo",
    { forwarded_for: "203.0.113.9, 10.0.0.1, 10.0.0.2", remote_user: "jo" },
  ],
  [
    "a forwarded address and the proxy",
    "203.0.113.9 10.0.0.1 - -",
    { forwarded_for: "203.0.113.9 10.0.0.1" },
  ],
  ["an address with its port", "203.0.113.9:5678 - -", { remote_port: 5678 }],
  ["an address in brackets", "[2001:db8::1]:5678 - -", { remote_addr: "2001:db8::1", remote_port: 5678 }],
  ["the name of a caller", "client.example.net - -", { remote_addr: "client.example.net" }],
  ["a user with brackets", "203.0.113.9 - jo [x] y [", { remote_user: "jo [x] y [" }],
  [
    "a user that is a time",
    "203.0.113.9 - a [04/Sep/2023:16:46:06 +0800]",
    { remote_user: "a [04/Sep/2023:16:46:06 +0800]" },
  ],
  ["a user with quotes", '203.0.113.9 - a] \\" [', { remote_user: 'a] \\" [' }],
  ["an empty user", '203.0.113.9 - ""', {}],
  ["no ident and no user", "203.0.113.9", {}],
])("%s before the time", async (_name, text, values) => {
  const parse = await openFormat({ type: "access_log" });
  expect(parse(caller(text))).toEqual([{ properties: { ...fields, ...values } }]);
});

test.each([
  ["hello big world"],
  ["GET /a"],
  ["GET /a b"],
  ["GET /a HTTP/"],
  ["GET /a HTTP/x"],
  ["GET  HTTP/1.1"],
  ["\\x16\\x03\\x01 \\x00 /1.0"],
  ["t3 12.1.2"],
  ["/ HTTP/1.1"],
  ["GET /a HTTP/1.1 "],
  [" GET /a HTTP/1.1"],
])("the request %j stays whole", async (request) => {
  const parse = await openFormat({ type: "access_log" });
  const line = common.replace("GET /a?b=c HTTP/1.1", request.replaceAll("\\", "\\\\"));
  expect(parse(line)).toEqual([{ properties: { ...noRequest, request } }]);
});

test.each([
  ["GET /a b c HTTP/1.1", "GET", "/a b c", "HTTP/1.1"],
  ["PRI * HTTP/2.0", "PRI", "*", "HTTP/2.0"],
  ["GET / HTTP/2", "GET", "/", "HTTP/2"],
  ["M-SEARCH * RTSP/1.0", "M-SEARCH", "*", "RTSP/1.0"],
  ["CONNECT a.example:443 HTTP/1.1", "CONNECT", "a.example:443", "HTTP/1.1"],
])("the request %j is cut", async (request, method, path, protocol) => {
  const parse = await openFormat({ type: "access_log" });
  const line = common.replace("GET /a?b=c HTTP/1.1", request);
  expect(parse(line)).toEqual([{ properties: { ...fields, method, path, protocol } }]);
});

test.each([
  ["an empty request", common.replace("GET /a?b=c HTTP/1.1", ""), noRequest],
  ["no status", common.replace(" 200 ", " - "), without("status")],
  ["an agent alone", `${common} - "curl/8"`, { ...fields, user_agent: "curl/8" }],
  ["an agent that is cut off", `${common} "-" "curl`, { ...fields, extra: '"curl' }],
  ["a referer alone", `${common} "/a"`, { ...fields, referer: "/a" }],
  [
    "brackets and quotes after the time",
    `${common} "-" "a [b] \\"c\\" ] "`,
    { ...fields, user_agent: 'a [b] "c" ] ' },
  ],
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
