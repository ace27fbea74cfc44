import { describe, expect, test } from "vitest";
import { failure, openFormat } from "./open-format.ts";

const old = {
  timestamp: "Sep  4 16:46:06",
  hostname: "host",
  app_name: "sshd",
  procid: "42",
  message: "hi: there",
};

describe("RFC 3164 and log files", () => {
  test.each([
    ["Sep  4 16:46:06 host sshd[42]: hi: there", old],
    ["<34>Sep  4 16:46:06 host sshd[42]: hi: there", { ...old, facility: "auth", severity: "crit" }],
    ["Sep 4 16:46:06 host sshd[42]: hi: there", { ...old, timestamp: "Sep 4 16:46:06" }],
    [
      "Oct 11 22:14:15 host kernel: [ 1.5] usb",
      { timestamp: "Oct 11 22:14:15", hostname: "host", app_name: "kernel", message: "[ 1.5] usb" },
    ],
    [
      "Oct 11 22:14:15 host last message repeated 2 times",
      { timestamp: "Oct 11 22:14:15", hostname: "host", message: "last message repeated 2 times" },
    ],
    [
      "2024-03-10T12:00:00.123456+08:00 host cron[7]: run",
      {
        timestamp: "2024-03-10T12:00:00.123456+08:00",
        hostname: "host",
        app_name: "cron",
        procid: "7",
        message: "run",
      },
    ],
  ])("%s", async (line, values) => {
    const parse = await openFormat({ type: "syslog" });
    expect(parse(line)).toEqual([{ properties: values }]);
  });
});

describe("RFC 3164 and its hosts", () => {
  const timestamp = "Oct 11 22:14:15";
  const app = { app_name: "app", procid: "123", message: "hello" };

  test.each<[string, object]>([
    ["app[123]: hello", app],
    ["app[123]:hello", app],
    ["app[123] hello", app],
    ["app[123]:", { app_name: "app", procid: "123" }],
    ["app: hello: you", { app_name: "app", message: "hello: you" }],
    ["postfix/smtpd[123]: hello", { ...app, app_name: "postfix/smtpd" }],
    ["(systemd)[123]: hello", { ...app, app_name: "(systemd)" }],
    ["app[]: hello", { app_name: "app", message: "hello" }],
    ["- app[123]: hello", app],
    ["host app[123]:hello", { hostname: "host", ...app }],
    ["host.example.com app[123]: hello", { hostname: "host.example.com", ...app }],
    ["2001:db8::1 app[123]: hello", { hostname: "2001:db8::1", ...app }],
    ["2001:db8:: app[123]: hello", { hostname: "2001:db8::", ...app }],
    ["[2001:db8::1] app[123]: hello", { hostname: "[2001:db8::1]", ...app }],
    ["10.0.0.1: app[123]: hello", { hostname: "10.0.0.1", ...app }],
    ["2001:db8::1: app[123]: hello", { hostname: "2001:db8::1", ...app }],
    ["host GET http://a.example/ [x]", { hostname: "host", message: "GET http://a.example/ [x]" }],
    ["host http://a.example/", { hostname: "host", message: "http://a.example/" }],
    ["host", { hostname: "host" }],
  ])("%s", async (text, values) => {
    const parse = await openFormat({ type: "syslog" });
    const priority = { facility: "daemon", severity: "info" };
    expect(parse(`<30>${timestamp} ${text}`)).toEqual([
      { properties: { ...priority, timestamp, ...values } },
    ]);
    expect(parse(`${timestamp} ${text}`)).toEqual([{ properties: { timestamp, ...values } }]);
    const iso = "2024-03-10T12:00:00Z";
    expect(parse(`${iso} ${text}`)).toEqual([{ properties: { timestamp: iso, ...values } }]);
  });

  test("a leap second is a time", async () => {
    const parse = await openFormat({ type: "syslog" });
    expect(parse("<30>Dec 31 23:59:60 host app: m")).toEqual([
      {
        properties: {
          facility: "daemon",
          severity: "info",
          timestamp: "Dec 31 23:59:60",
          hostname: "host",
          app_name: "app",
          message: "m",
        },
      },
    ]);
  });
});

describe("RFC 5424", () => {
  const head = "<165>1 2003-10-11T22:14:15.003Z host app 111 ID47";
  const fields = {
    facility: "local4",
    severity: "notice",
    timestamp: "2003-10-11T22:14:15.003Z",
    hostname: "host",
    app_name: "app",
    procid: "111",
    msgid: "ID47",
  };

  test.each([
    [`${head} - hello`, { ...fields, message: "hello" }],
    [`${head} - \uFEFFhello`, { ...fields, message: "hello" }],
    [`${head} -`, fields],
    [
      `${head} [a@1 x="1" y="q\\"b\\\\c\\]d\\n"][b@1] m`,
      { ...fields, structured_data: { "a@1": { x: "1", y: 'q"b\\c]d\\n' }, "b@1": {} }, message: "m" },
    ],
    ["<0>1 - - - - - -", { facility: "kern", severity: "emerg" }],
    [
      "1 2003-10-11T22:14:15Z host - - - - m",
      { timestamp: "2003-10-11T22:14:15Z", hostname: "host", message: "m" },
    ],
    [
      `${head} [__proto__ constructor="1"] m`,
      { ...fields, structured_data: JSON.parse('{"__proto__":{"constructor":"1"}}'), message: "m" },
    ],
  ])("%s", async (line, values) => {
    const parse = await openFormat({ type: "syslog" });
    expect(parse(line)).toEqual([{ properties: values }]);
  });

  test.each([
    "<192>1 - - - - - -",
    "<>1 - - - - - -",
    "<1x>1 - - - - - -",
    "<1e1>1 - - - - - -",
    "< 34>1 - - - - - -",
    "<34>1 - host",
    `${head} [a x="1" m`,
    `${head} [a x=1] m`,
    `${head} [a x="1"]m`,
    `${head} [] m`,
    `${head} text`,
    "Foo  4 16:46:06 host x: y",
    "Sep 34 16:46:06 host x: y",
    "plain text",
  ])("%s is bad", async (line) => {
    const parse = await openFormat({ type: "syslog" });
    expect(parse(line)).toMatchObject(failure("no_match"));
  });
});

test("a time without a year is the latest that is no more than a day ahead", async () => {
  const time = {
    from: "timestamp",
    type: "time",
    format: ["MMM d HH:mm:ss", "iso"],
    zone: "UTC",
    zoneOffset: false,
  };
  const parse = await openFormat({ type: "syslog", rest: "drop", mapping: { "#time": time } });
  expect(parse("Mar 11 11:59:59 h a: m")).toEqual([{ "#time": "2024-03-11 11:59:59.000" }]);
  expect(parse("Mar 11 12:00:01 h a: m")).toEqual([{ "#time": "2023-03-11 12:00:01.000" }]);
  expect(parse("Feb 29 00:00:00 h a: m")).toEqual([{ "#time": "2024-02-29 00:00:00.000" }]);
  expect(parse("2024-01-01T00:00:00+01:00 h a: m")).toEqual([{ "#time": "2023-12-31 23:00:00.000" }]);
});

describe("a record without any id", () => {
  const mapping = { "#distinct_id": "hostname", "#account_id": "procid" };

  test.each([
    ["Oct 11 22:14:15 host app: m", { "#distinct_id": "host" }],
    ["Oct 11 22:14:15 app[7]: m", { "#account_id": "7" }],
    ["<30>1 - - app 7 - - m", { "#account_id": "7" }],
  ])("%s has one", async (line, ids) => {
    const parse = await openFormat({ type: "syslog", rest: "drop", mapping });
    expect(parse(line)).toEqual([ids]);
  });

  test.each(["Oct 11 22:14:15 app: m", "Oct 11 22:14:15 - m", "<30>1 - - app - - - m"])(
    "%s is a bad line",
    async (line) => {
      const parse = await openFormat({ type: "syslog", mapping });
      expect(parse(line)).toEqual({
        ...failure("missing_id"),
        message: "#account_id and #distinct_id are missing; they come from hostname, procid",
      });
    },
  );

  test("is taken where the mapping names no id", async () => {
    const parse = await openFormat({ type: "syslog", rest: "drop", mapping: { app: "app_name" } });
    expect(parse("Oct 11 22:14:15 app: m")).toEqual([{ properties: { app: "app" } }]);
  });
});
