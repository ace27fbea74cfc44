import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../../../base/package/root.ts";
import { linesOf, loadText, problemsOf } from "../load.ts";

const receive = "engage.webhook.v1.WebhookReceiver/Receive";

const cases: [what: string, yaml: string, expected: string[]][] = [
  [
    "a target that is not there",
    "webhook:\n  channels: { a: { auth: off, targets: [log, mial] } }\n  targets: { log: { kind: log }, mail: { kind: log } }",
    [
      '2:46: webhook.channels.a.targets[1]: there is no target "mial", the nearest is "mail", valid are "log", "mail"',
    ],
  ],
  [
    "a target although there are none",
    "webhook:\n  channels: { a: { auth: off, targets: [log] } }",
    ['2:41: webhook.channels.a.targets[0]: there is no target "log", webhook.targets is empty'],
  ],
  [
    "messages that would go nowhere",
    "webhook:\n  channels: { a: { auth: off, targets: [en] } }\n  targets: { en: { kind: log, when: { language: en } } }",
    [
      '2:40: webhook.channels.a.targets: channel "a" has conditions on all of its targets: messages that match none would have no target, set otherwise on one of en',
    ],
  ],
  [
    "a condition on a field that no message has",
    "webhook:\n  targets: { en: { kind: log, when: { lang: en } } }",
    [
      "2:45: webhook.targets.en.when.lang: is not a field of a message, valid are task, language, push_id, params.<name>, custom_params.<name>, #ops_receipt_properties.<name>",
    ],
  ],
  [
    "a target of an unknown kind",
    "webhook:\n  targets:\n    mail: { kind: stmp }",
    [
      '3:19: webhook.targets.mail.kind: must be "http", "grpc", "smtp", "nats", "redis", "file", "log" or "pull", got "stmp", the nearest is "smtp"',
    ],
  ],
  [
    "an address that is not public",
    "webhook:\n  targets:\n    a: { kind: http, url: 'http://127.0.0.1:9000/x' }\n    b: { kind: redis, host: 10.0.0.1, stream: s }\n    c: { kind: nats, servers: ['nats://[::1]:4222'], subject: s }\n    d: { kind: grpc, url: 'https://example.com' }",
    [
      '3:27: webhook.targets.a.url: address 127.0.0.1 is not public, add "127.0.0.1:9000" or a network to webhook.outbound.allow',
      '4:29: webhook.targets.b.host: address 10.0.0.1 is not public, add "10.0.0.1:6379" or a network to webhook.outbound.allow',
      '5:32: webhook.targets.c.servers[0]: address ::1 is not public, add "[::1]:4222" or a network to webhook.outbound.allow',
    ],
  ],
  [
    "an ingest for clicks that is not public",
    "webhook:\n  clicks:\n    forward: { url: 'http://10.0.0.1:8991', appid: a }",
    [
      '3:21: webhook.clicks.forward.url: address 10.0.0.1 is not public, add "10.0.0.1:8991" or a network to webhook.outbound.allow',
    ],
  ],
  [
    "an ingest for clicks without appid, with the path that is put after it and an unknown setting",
    "webhook:\n  clicks:\n    forward: { url: 'https://example.com/sync_server', batchRecord: 5 }",
    [
      "3:14: webhook.clicks.forward.appid: is required: give text",
      '3:21: webhook.clicks.forward.url: must be without /sync_server, query and fragment, got "https://example.com/sync_server"',
      '3:56: webhook.clicks.forward.batchRecord: unknown key "batchRecord", the nearest is "batchRecords"',
    ],
  ],
  [
    "a check of push ids at an address that is not public, and a bad pattern and list",
    "webhook:\n  channels:\n    a:\n      auth: off\n      pushId:\n        pattern: 'a('\n        list: gone.txt\n        check: { url: 'http://127.0.0.1:9000' }",
    [
      '6:18: webhook.channels.a.pushId.pattern: bad regular expression "a(": …',
      '7:15: webhook.channels.a.pushId.list: cannot read the file "gone.txt": no such file or folder',
      '8:23: webhook.channels.a.pushId.check.url: address 127.0.0.1 is not public, add "127.0.0.1:9000" or a network to webhook.outbound.allow',
    ],
  ],
  [
    "a placeholder that means nothing",
    "webhook:\n  targets:\n    a:\n      kind: log\n      body: { to: ['{push_id}', '{nobody}'] }",
    ["5:33: webhook.targets.a.body.to[1]: …"],
  ],
  [
    "a consumer that fetches, of a channel that waits for answers",
    "webhook:\n  channels: { a: { auth: off, mode: sync, sync: { late: fail }, targets: [p] } }\n  targets: { p: { kind: pull } }",
    [
      "2:75: webhook.channels.a.targets[0]: is of kind pull, which never answers in time: choose mode queue, or sync.late queue",
    ],
  ],
  [
    "a channel that takes more than the server",
    `limits: { methods: { ${receive}: 1000 } }\nwebhook: { channels: { a: { auth: off, maxBytes: 1001 } } }`,
    [`2:50: webhook.channels.a.maxBytes: is more than limits.methods lets through for ${receive}, 1000`],
  ],
  [
    "files of a target that are not there",
    "webhook: { targets: { a: { kind: grpc, url: 'https://example.com', tls: { ca: gone.pem } } } }",
    ['1:79: webhook.targets.a.tls.ca: cannot read the file "gone.pem": no such file or folder'],
  ],
  [
    "a database without a URL",
    "webhook: { inbox: { driver: postgres } }",
    ["1:19: webhook.inbox.url: is required by driver postgres"],
  ],
  [
    "a URL that is none of a database",
    "webhook: { inbox: { driver: postgres, url: 'mysql://user:word@host/db', file: x.db } }",
    [
      '1:44: webhook.inbox.url: must be a URL such as "postgresql://user:password@host:5432/database"',
      "1:79: webhook.inbox.file: is for driver sqlite",
    ],
  ],
  [
    "settings of a database for a file",
    "webhook: { inbox: { url: 'postgresql://host/db', schema: My-Inbox } }",
    ['1:58: webhook.inbox.schema: must be 1 to 63 small letters, digits and underscores, got "My-Inbox"'],
  ],
  [
    "a URL for a file",
    "webhook: { inbox: { url: 'postgresql://host/db' } }",
    ["1:26: webhook.inbox.url: is for driver postgres"],
  ],
];

/** Matches a message about a regular expression or placeholder, whose text has tests of its own. */
function pattern(line: string): unknown {
  return line.endsWith("…")
    ? expect.stringContaining(`engage.yaml:${line.slice(0, -1)}`)
    : `engage.yaml:${line}`;
}

test.each(cases)("%s", (_, yaml, expected) => {
  expect(linesOf(problemsOf(yaml))).toEqual(expected.map(pattern));
});

test("paths start at the file, and secrets are masked", () => {
  const yaml = `
webhook:
  channels: { a: { auth: off, headers: { X-Api-Key: s3cret-1 }, pushId: { list: ids.txt } } }
  targets:
    a: { kind: file, path: out.ndjson }
    b: { kind: http, url: 'https://example.com', headers: { authorization: s3cret-2 }, tls: { ca: ca.pem } }
  inbox: { driver: postgres, url: 'postgresql://user:s3cret-3@host/db' }`;
  const ca = readFileSync(join(packageRoot, "test/testdata/tls/ca.pem"), "utf8");
  const loaded = loadText(yaml, {}, { "ids.txt": "a", "ca.pem": ca });
  const { channels, targets } = loaded.config.webhook;
  const folder = join(loaded.config.data, "..");
  expect(channels["a"]!.pushId.list).toBe(join(folder, "ids.txt"));
  expect(targets["a"]).toMatchObject({ path: join(folder, "out.ndjson") });
  expect(targets["b"]).toMatchObject({ tls: { ca: join(folder, "ca.pem") } });
  expect(loaded.print()).not.toContain("s3cret");
});

test("a null in a template stays", () => {
  const { config } = loadText(
    "webhook: { targets: { a: { kind: log, body: { to: '{push_id}', from: null } } } }",
  );
  expect(config.webhook.targets["a"]).toMatchObject({ body: { to: "{push_id}", from: null } });
});

test("a webhook call is as big as the biggest channel allows, unless it is set", () => {
  const channels = "webhook: { channels: { a: { auth: off, maxBytes: 50000000 }, b: { auth: off } } }";
  expect(loadText(channels).config.limits.methods[receive]).toBe(50_000_000);
  expect(loadText("").config.limits.methods[receive]).toBe(16_777_216);
  const set = `limits: { methods: { ${receive}: 60000000 } }\n${channels}`;
  expect(loadText(set).config.limits.methods[receive]).toBe(60_000_000);
});

describe("examples", () => {
  const readme = readFileSync(join(packageRoot, "README.md"), "utf8");
  const blocks = [...readme.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map((match) => match[1]!);

  const files = {
    "secret.txt": "secret",
    "postgres-url.txt": "postgresql://engage:secret@postgres/engage",
    "clickhouse-password.txt": "secret-password",
  };

  test.each(blocks)("of the README are valid: %s", (yaml) => {
    const { config } = loadText(yaml, {}, files);
    const targets = yaml.includes("webhook:") ? ["mail", "archive"] : [];
    expect(Object.keys(config.webhook.targets)).toEqual(targets);
  });
});
