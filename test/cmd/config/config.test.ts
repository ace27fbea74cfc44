import { describe, expect, it, test } from "vitest";
import { linesOf, loadText, problemsOf } from "./load.ts";

const cases: readonly (readonly [name: string, yaml: string, expected: readonly string[]])[] = [
  [
    "unknown key with a near one",
    "drainMS: 5",
    ['1:1: drainMS: unknown key "drainMS", the nearest is "drainMs"'],
  ],
  [
    "unknown key with none near",
    "log:\n  zzzzzzzzz: 1",
    ['2:3: log.zzzzzzzzz: unknown key "zzzzzzzzz", valid are level, access, pretty'],
  ],
  [
    "key of another type of format",
    'parser: { formats: [{ name: a, index: "*", type: logfmt, pattern: x }] }',
    [
      '1:58: parser.formats[0].pattern: unknown key "pattern", valid are name, index, unwrap, type, nulls, required, mapping, rest, zone, outputZone',
    ],
  ],
  [
    "an origin with a path, and a host with a scheme",
    'gateway:\n  cors: ["https://app.example.com/"]\n  hosts: ["http://engage.internal"]',
    [
      '2:10: gateway.cors[0]: must be the origin of a page such as "https://app.example.com", without a path, got "https://app.example.com/"',
      '3:11: gateway.hosts[0]: must be a host such as "engage.internal", with a port or without, got "http://engage.internal"',
    ],
  ],
  [
    "every origin",
    'gateway: { cors: ["*"] }',
    [
      '1:19: gateway.cors[0]: must be the origin of a page such as "https://app.example.com", without a path, got "*"',
    ],
  ],
  [
    "metrics for keys that there are not",
    "metrics: { auth: keys }",
    ["1:18: metrics.auth: is \"keys\" but there are no keys: create one with 'engage key create NAME'"],
  ],
  [
    "target without a scheme",
    'webhook: { targets: { a: { kind: grpc, url: "127.0.0.1:9000" } } }',
    [
      '1:45: webhook.targets.a.url: must be a URL such as "https://example.com/messages", got "127.0.0.1:9000"',
    ],
  ],
  ["a unit", "drainMs: 5s", ['1:10: drainMs: must be a number of milliseconds, got "5s"']],
  [
    "a size with its unit",
    "limits: { maxMessageBytes: 1MB }",
    ['1:28: limits.maxMessageBytes: must be a number of bytes, got "1MB"'],
  ],
  ["no number", "drainMs: .nan", ["1:10: drainMs: must be a number of milliseconds, got NaN"]],
  ["text for a number", "drainMs: soon", ['1:10: drainMs: must be a number of milliseconds, got "soon"']],
  [
    "fraction for a whole number",
    "drainMs: 1.5",
    ["1:10: drainMs: must be a whole number of milliseconds, got 1.5"],
  ],
  [
    "below the minimum",
    "limits:\n  maxHeaderBytes: 3",
    ["2:19: limits.maxHeaderBytes: must be at least 1024, got 3"],
  ],
  ["nothing for a value", "drainMs:", ["1:9: drainMs: must be a number of milliseconds, got nothing"]],
  ["list for a section", "log: [a]", ["1:6: log: must be a section of keys, got a list"]],
  [
    "word outside a list",
    "log: { level: loud }",
    ['1:15: log.level: must be "trace", "debug", "info", "warn", "error", "fatal" or "silent", got "loud"'],
  ],
  [
    "listen without a host",
    'listen: ":8080"',
    [
      '1:9: listen: must be host:port with a port up to 65535, for example "127.0.0.1:8080" or "[::1]:8080", got ":8080"',
    ],
  ],
  [
    "method without a service",
    "limits:\n  methods:\n    Parse: 5",
    ['3:5: limits.methods.Parse: must be a method such as "proto.Parser/Parse", got "Parse"'],
  ],
  ["certificate without a key", "tls: { cert: engage.yaml }", ["1:6: tls.key: is required: give text"]],
  [
    "keys wanted but none given",
    "auth: { mode: keys }",
    ["1:7: auth.keys: mode is \"keys\" but there are no keys: create one with 'engage key create NAME'"],
  ],
  [
    "hash that is none",
    "auth:\n  keys:\n    - { name: a, sha256: abc }",
    ['3:26: auth.keys[0].sha256: must be the SHA-256 of the key as 64 hexadecimal digits, got "abc"'],
  ],
  [
    "method pattern that is none",
    `auth:\n  keys:\n    - name: a\n      sha256: ${"a".repeat(64)}\n      methods: [Parse]`,
    [
      '5:17: auth.keys[0].methods[0]: must be "*", a service such as "proto.Parser/*" or a method such as "proto.Parser/Parse", got "Parse"',
    ],
  ],
  [
    "projects of a token",
    "projects: [{ id: 1 }]\nanalysis:\n  tokens:\n    - { name: a, token: b, projects: [1, 2] }",
    ["4:42: analysis.tokens[0].projects[1]: there is no project 2, valid are 1"],
  ],
  [
    "token without a token",
    "analysis: { tokens: [{ name: a, projects: '*' }] }",
    ["1:22: analysis.tokens[0]: needs either token or sha256"],
  ],
  [
    "the same project twice",
    "projects: [{ id: 1 }, { id: 1 }]",
    ["1:29: projects[1].id: 1 is already used by an entry above"],
  ],
  [
    "zone that is none",
    "projects: [{ id: 1, zone: Mars/Olympus }]",
    [
      '1:27: projects[0].zone: must be a time zone, valid are offsets such as "+08:00" and names such as "Europe/Berlin", got "Mars/Olympus"',
    ],
  ],
  [
    "channel that does not say how it is signed",
    "webhook:\n  channels:\n    orders: {}",
    ["3:13: webhook.channels.orders: needs secrets, or auth: off to accept messages without a signature"],
  ],
  [
    "channel with a bad name",
    "webhook:\n  channels:\n    a b: { auth: off }",
    [
      '3:5: webhook.channels["a b"]: must be 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first, got "a b"',
    ],
  ],
  [
    "format without an index",
    "parser:\n  formats:\n    - name: a\n      type: json",
    ["3:7: parser.formats[0].index: is required: give text"],
  ],
  [
    "format of an unknown type",
    "parser:\n  formats:\n    - { name: a, index: b, type: jsn }",
    [
      '3:34: parser.formats[0].type: must be "json", "delimited", "regex", "logfmt", "access_log", "syslog", "pass_through" or "module", got "jsn", the nearest is "json"',
    ],
  ],
  [
    "separators that are the same",
    'parser:\n  separator: "|ta|"',
    [
      `2:3: parser.indexSeparator: "|ta|" contains separator "|ta|", so items cannot be separated`,
      `2:14: parser.separator: "|ta|" contains indexSeparator "|ta|", so items cannot be separated`,
    ],
  ],
  [
    "one key twice",
    "drainMs: 1\ndrainMs: 2",
    ["2:1: not valid YAML: this key is given twice in one section"],
  ],
  ["a tab", "log:\n\tlevel: info", ["2:1: not valid YAML: tabs cannot indent YAML: use spaces"]],
  [
    "a bracket left open",
    "log: { level: info",
    ["1:19: not valid YAML: wrong indentation, or a bracket left open"],
  ],
  [
    "an alias within its own anchor",
    "projects: &projects [*projects]",
    [
      "1:1: not valid YAML: a value that starts with * must be quoted, unless it is an alias of an anchor, which must exist and not stand within itself",
    ],
  ],
  [
    "a misspelt key in the place of a secret",
    "projects: [{ id: 1 }]\nanalysis:\n  tokens: [{ name: a, token: { fil: x }, projects: [1] }]\n",
    ["3:30: analysis.tokens[0].token: must be text or { file: PATH }, got a section of keys"],
  ],
  [
    "a key that is a comment, beside another fault",
    "log: { levl: info }\nparser:\n  formats:\n    - name: a\n      index: a\n      type: json\n      mapping:\n        #type: track\n        level: l\n",
    [
      '1:8: log.levl: unknown key "levl", the nearest is "level"',
      '8:9: #type begins a comment, so that the mapping lacks it: write "#type" with quotes',
    ],
  ],
  ["text in the place of sections", "hello", ["1:1: must be a section of keys, got text (not shown)"]],
];

test.each(cases)("%s", (_, yaml, expected) => {
  expect(linesOf(problemsOf(yaml))).toEqual(expected.map((line) => `engage.yaml:${line}`));
});

test("all problems are found at once, in the order of the file, after those of the environment", () => {
  const yaml = "drainMs: x\nlog:\n  level: y\nparser:\n  workers: -1\n";
  const env = { ENGAGE_LOG_ACCESS: "maybe", ENGAGE_NOTHING_LIKE_IT: "1" };
  expect(problemsOf(yaml, env).map(({ where }) => where)).toEqual([
    "engage.yaml:1:10",
    "engage.yaml:3:10",
    "engage.yaml:5:12",
    "environment ENGAGE_LOG_ACCESS",
    "environment ENGAGE_NOTHING_LIKE_IT",
  ]);
});

test("a fault found later is placed too, at the nearest section when the value has no line", () => {
  const loaded = loadText(
    "parser:\n  formats:\n    - name: a\n      index: b\n      type: regex\n      pattern: (x",
  );
  expect(loaded.locate(["parser", "formats", 0, "pattern"], "bad")).toEqual({
    where: "engage.yaml:6:16",
    path: "parser.formats[0].pattern",
    message: "bad",
  });
  expect(loaded.locate(["parser", "formats", 0, "mapping", "#time"], "bad")).toMatchObject({
    where: "engage.yaml:3:7",
    path: 'parser.formats[0].mapping["#time"]',
  });
});

test("a file that is not there is one clear problem", () => {
  expect(linesOf(problemsOf("", { ENGAGE_CONFIG: "no.yaml" }))).toEqual([
    "no.yaml: cannot read the configuration file: no such file or folder",
  ]);
});

test("sections whose values are all commented out are as good as left out", () => {
  expect(loadText("log:\nprojects:\nlimits:\n  methods:\n").config).toMatchObject({
    log: { level: "info" },
    projects: [],
  });
});

describe("settings of what is stored", () => {
  it.each([
    [
      "parser: { store: { project: 1 } }",
      "engage.yaml:1:29: parser.store.project: there is no project 1, projects is empty",
    ],
    [
      'projects: [{ id: 1 }]\nparser: { store: { project: 1, formats: [a] }, formats: [{ name: b, index: "*", type: pass_through }] }',
      'engage.yaml:2:42: parser.store.formats[0]: there is no format "a", valid are "b"',
    ],
  ])("%s", (text, problem) => {
    expect(linesOf(problemsOf(text))).toEqual([problem]);
  });
});
