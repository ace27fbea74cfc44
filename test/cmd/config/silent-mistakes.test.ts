import { describe, expect, it } from "vitest";
import { linesOf, loadText } from "./load.ts";

const target = (settings: string) =>
  `webhook: { outbound: { allow: ["10.0.0.1:1"] }, channels: { c: { auth: off, targets: [t] } }, targets: { t: { ${settings} } } }`;

describe("placeholders where they are not filled in", () => {
  it.each<[string, string]>([
    [
      target('kind: file, path: "out/{push_id}.ndjson"'),
      'webhook.targets.t.path: holds "{push_id}", which is not replaced',
    ],
    [
      target('kind: file, path: "out/{{ params.a }}"'),
      'webhook.targets.t.path: holds "{{ params.a }}", which is',
    ],
    [
      target('kind: nats, servers: ["nats://10.0.0.1:1"], subject: "push-{push_id}"'),
      "targets.t.subject: holds",
    ],
    [
      target('kind: redis, host: "10.0.0.1", port: 1, stream: "{@channel}"'),
      "webhook.targets.t.stream: holds",
    ],
    [
      target('kind: log, when: { language: "{params.lang}" } }, u: { kind: log, otherwise: true').replace(
        "[t]",
        "[t, u]",
      ),
      "webhook.targets.t.when.language: holds",
    ],
    [
      target('kind: log, body: { to: "{{push_id}}" }'),
      'webhook.targets.t.body.to: holds "{{push_id}}", which is sent as the text "{push_id}": write {push_id} for the value',
    ],
    [
      `data: "\${HOME}/data"`,
      `data: holds "\${HOME}", which is not replaced: set ENGAGE_DATA in the environment instead`,
    ],
    ["data: $HOME/data", 'data: holds "$HOME", which is not replaced'],
    ["data: ~/data", 'data: begins with "~", which is not replaced by the home folder'],
    [
      `webhook: { channels: { c: { secrets: [{ value: "\${SECRET}" }] } } }`,
      `secrets[0].value: holds "\${SECRET}", which is not replaced: set ENGAGE_WEBHOOK_CHANNELS_C_SECRETS_0_VALUE in the environment instead, or give { file: PATH }`,
    ],
    ['projects: [{ id: 1, appids: ["{{APPID}}"] }]', 'projects[0].appids[0]: holds "{{APPID}}"'],
    [
      'parser: { formats: [{ name: a, index: "*", type: logfmt, mapping: { "#event_name": { value: "e_{user}" } } }] }',
      'mapping["#event_name"].value: holds "{user}"',
    ],
  ])("%s", (text, expected) => {
    expect(linesOf(loadText(text).placeholders)).toEqual([expect.stringContaining(expected)]);
  });

  it.each<[string]>([
    [
      target(
        'kind: http, url: "http://10.0.0.1:1/{push_id}", headers: { a: "{push_id}" }, body: "{push_id}"',
      ),
    ],
    [target('kind: log, body: "{{a brace}}"')],
    [
      `webhook: { channels: { c: { secrets: [{ value: "a\${b}c{d}e" }], pushId: { pattern: "\\\\p{L}{2}" } } } }`,
    ],
    ['parser: { formats: [{ name: a, index: "a{b}", type: regex, pattern: "(?P<a>\\\\p{L}+)" }] }'],
  ])("but not %s", (text) => {
    expect(loadText(text).placeholders).toEqual([]);
  });
});

describe("messages that reach no target", () => {
  it.each<[string, readonly string[]]>([
    [
      "webhook: { channels: { a: { auth: off } } }",
      [
        "webhook.channels.a.targets: names no target, so that messages are stored but not delivered: webhook.targets is empty",
      ],
    ],
    [
      "webhook: { channels: { a: { auth: off, targets: [] } }, targets: { t: { kind: log } } }",
      [
        'webhook.channels.a.targets: names no target, so that messages are stored but not delivered: valid are "t"',
        "webhook.targets.t: is named by no channel, so that it gets no messages",
      ],
    ],
    [target("kind: log"), []],
  ])("%s", (text, expected) => {
    expect(linesOf(loadText(text).advice)).toEqual(expected.map((one) => expect.stringContaining(one)));
  });
});
