import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createIdentity } from "./certificate.ts";
import { linesOf, loadText, problemsOf } from "./load.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const key = `keys: [{ name: a, sha256: "${sha256("a key")}" }]`;
const tls = "tls: { cert: c.pem, key: k.pem, ca: ca.pem }";
const identity = createIdentity();
const pems = { "c.pem": identity.cert, "k.pem": identity.key, "ca.pem": identity.cert };

const accepted = [
  ["nothing said, on loopback", "listen: 127.0.0.1:0", "off"],
  ["nothing said, on loopback of IPv6", 'listen: "[::1]:0"', "off"],
  ["keys on loopback", `auth: { ${key} }`, "keys"],
  ["keys elsewhere", `listen: 0.0.0.0:0\nauth: { ${key} }`, "keys"],
  ["waived aloud", "listen: 0.0.0.0:0\nauth: { mode: off }", "off"],
  ["keys kept but waived", `listen: 0.0.0.0:0\nauth: { mode: off, ${key} }`, "off"],
  ["client certificates", `listen: 0.0.0.0:0\n${tls}`, "off"],
  ["client certificates and keys", `listen: 0.0.0.0:0\n${tls}\nauth: { ${key} }`, "keys"],
] as const;

test.each(accepted)("%s", (_, yaml, mode) => {
  expect(loadText(yaml, {}, pems).config.auth.mode).toBe(mode);
});

const silent = [
  ["an address of all interfaces", "listen: 0.0.0.0:8080", "0.0.0.0:8080"],
  ["one of IPv6", 'listen: "[::]:8080"', "[::]:8080"],
  ["a name", "listen: engage.example.com:8080", "engage.example.com:8080"],
  [
    "TLS without client certificates",
    "listen: 0.0.0.0:8080\ntls: { cert: c.pem, key: k.pem }",
    "0.0.0.0:8080",
  ],
] as const;

test.each(silent)("silence is refused: %s", (_, yaml, listen) => {
  const problems = problemsOf(yaml, {}, pems);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({
    path: "auth",
    message: expect.stringContaining(JSON.stringify(listen)),
  });
  expect(problems[0]?.message).toMatch(/engage key create[\s\S]*auth: \{ mode: off \}/);
});

test.each<[string, string, string, Record<string, string>, Record<string, string>]>([
  [
    "in upper case",
    "0.0.0.0:80",
    `{ name: a, sha256: ${sha256("demo-token").toUpperCase()}, projects: "*" }`,
    {},
    {},
  ],
  ["on all addresses", "[::]:80", '{ name: a, token: demo-token, projects: "*" }', {}, {}],
  ["on a mapped address", "[::ffff:10.0.0.1]:80", '{ name: a, token: demo-token, projects: "*" }', {}, {}],
  ["on a name", "engage.internal:80", '{ name: a, token: demo-token, projects: "*" }', {}, {}],
  [
    "from a file",
    "0.0.0.0:80",
    '{ name: a, token: { file: t }, projects: "*" }',
    {},
    { t: "\ufeffdemo-token\r\n" },
  ],
  [
    "from the environment",
    "127.0.0.1:80",
    '{ name: a, token: own-token, projects: "*" }',
    { ENGAGE_ANALYSIS_TOKENS_0_TOKEN: "demo-token", ENGAGE_LISTEN: "0.0.0.0:80" },
    {},
  ],
])("the demo's token is refused %s", (_name, listen, token, env, files) => {
  const yaml = `listen: "${listen}"\nauth: { mode: off }\nanalysis: { tokens: [${token}] }`;
  expect(problemsOf(yaml, env, files)).toMatchObject([
    { message: expect.stringContaining("is the public token of the demo") },
  ]);
});

test("the demo's names are refused where others can reach them, also as a hash, each at its place", () => {
  const yaml = `
listen: 10.0.0.1:80
auth: { mode: off }
projects: [{ id: 1, appids: [own, demo-app] }]
analysis:
  tokens:
    - { name: a, token: demo-token, projects: "*" }
    - { name: b, sha256: ${sha256("demo-token")}, projects: "*" }
    - { name: c, token: mine, projects: "*" }
webhook:
  channels:
    demo: { secrets: [{ value: mine }, { value: demo-secret }] }`;
  const rest = 'which is refused on "10.0.0.1:80": set another one';
  expect(linesOf(problemsOf(yaml))).toEqual([
    `engage.yaml:4:35: projects[0].appids[1]: is the public appid of the demo, ${rest}`,
    `engage.yaml:7:25: analysis.tokens[0].token: is the public token of the demo, ${rest}`,
    `engage.yaml:8:26: analysis.tokens[1].sha256: is the public token of the demo, ${rest}`,
    `engage.yaml:12:49: webhook.channels.demo.secrets[1].value: is the public secret of the demo, ${rest}`,
  ]);
});
