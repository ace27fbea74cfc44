import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ProbeResult } from "../../../services/channel/check/check.ts";
import { createReceiver, secondSecret, secret } from "../../services/channel/check/receiver.ts";
import { openReceiverServer } from "../../services/channel/check/receiver-server.ts";
import { brokenRules, runCheck } from "../../services/channel/check/run-check.ts";
import { receiver as countsFromZero } from "../../services/channel/check/wrong-receivers/counts-from-zero.ts";
import { receiver as handlesAgain } from "../../services/channel/check/wrong-receivers/handles-repeats-again.ts";
import { createIdentity } from "../config/certificate.ts";
import { folderWith } from "../config/load.ts";
import { listen } from "../listener.ts";
import { runEngage } from "../run-engage.ts";
import { secret as channelSecret, openWebhookServer } from "../webhook-server.ts";

const quick = ["--slow-body", "200", "--rate", "20"];
const check = (url: string, ...more: readonly string[]) =>
  runEngage(["check", url, "--secret", secret, "--second-secret", secondSecret, ...quick, ...more]);

describe("receivers of this project break no rule", () => {
  test("the webhook receiver, with a signed channel", async () => {
    const second = { value: "the next secret", expires: "2099-01-01T00:00:00Z" };
    const channels = { demo: { secrets: [{ value: channelSecret }, second], targets: ["pulled"] } };
    const server = await openWebhookServer({ channels });
    const results = await runCheck(`${server.url}/webhook/demo`, {
      secret: channelSecret,
      secondSecret: second.value,
    });
    expect(results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    expect(brokenRules(results)).toEqual([]);
  });

  test("the webhook receiver, with a push id that its channel refuses", async () => {
    const channels = { demo: { auth: "off", pushId: { pattern: "engage-check-.*" } } };
    const server = await openWebhookServer({ channels });
    const results = await runCheck(`${server.url}/webhook/demo`, {
      secret: undefined,
      secondSecret: undefined,
      knownBadPushId: "gone",
    });
    expect(brokenRules(results)).toEqual([]);
    expect(results.find(({ id }) => id === "partial-reason")?.outcome).toBe("passed");
  });

  test("engage listen", async () => {
    const { url } = await listen({ secret });
    expect(brokenRules(await runCheck(url, { secondSecret: undefined }))).toEqual([]);
  });
});

describe("the report", () => {
  test("of a right receiver is a table of what passed", async () => {
    const { code, stdout, stderr } = await check(await openReceiverServer(createReceiver()));
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n")[0]).toMatch(/^RESULT {2}PROBE +A RECEIVER +FOUND$/);
    expect(stdout).toMatch(/^ok {6}accept +accepts a valid batch +\d+ ms$/m);
    expect(stdout).toMatch(/\n44 passed, 0 failed, 0 recommendations, 0 notes, 0 skipped\n$/);
  });

  test("of a wrong one says what was sent, answered and specified, and what to change", async () => {
    const { code, stdout } = await check(await openReceiverServer(countsFromZero));
    expect(code).toBe(1);
    const [, block = ""] = /\n(FAILED partial-index: (?:.+\n)+)\n/.exec(stdout) ?? [];
    expect(block.trimEnd().split("\n")).toEqual([
      "FAILED partial-index: counts fail_list from 1",
      "  found      fail_list has index 1, 2, expected 2, 3 (it counts from 0)",
      "  sent       5 messages, of which the 2nd and the 3rd have no push_id",
      "             content-type: application/json",
      expect.stringMatching(/^ {13}X-SVC-OPS-Signature: [0-9a-f]{40}$/),
      expect.stringMatching(/^ {13}\[\{"push_id":"engage-check-1",.*… \(\d+ bytes\)$/),
      expect.stringMatching(/^ {2}answered {3}HTTP 200 after \d+ ms$/),
      expect.stringContaining('{"index":1,"message":"push_id is not usable"}'),
      "  specified  index is the sequence number of the failed element in the request array; it starts at 1, not 0.",
      "  change     Set index to the position in the request's array plus 1.",
    ]);
  });

  test("fails for what recommendations only with --strict", async () => {
    const url = await openReceiverServer(handlesAgain);
    const results = [
      await check(url),
      await check(url, "--strict"),
      await check(url, "--skip", "repeat-once"),
    ];
    expect(results.map(({ code }) => code)).toEqual([0, 1, 0]);
    expect(results[0]!.stdout).toMatch(/^should {2}repeat-once /m);
    expect(results[2]!.stdout).toMatch(/^skipped {2}repeat-once .* excluded, as requested$/m);
  });

  test("is JSON and JUnit for machines", async () => {
    const url = await openReceiverServer(countsFromZero);
    const junit = join(folderWith({}), "junit.xml");
    const { code, stdout } = await check(url, "--json", "--junit", junit);
    const report = JSON.parse(stdout) as { url: string; isRight: boolean; results: ProbeResult[] };
    expect([code, report.url, report.isRight]).toEqual([1, url, false]);
    expect(brokenRules(report.results)).toEqual(["partial-index"]);
    const xml = readFileSync(junit, "utf8");
    expect(xml).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites tests="44" failures="1" /);
    expect(xml).toMatch(
      /<testcase classname="must" name="partial-index: counts fail_list from 1" time="[\d.]+">\n +<failure type="must" message="fail_list has index 1, 2, expected 2, 3 \(it counts from 0\)">sent: 5 messages/,
    );
  });

  test("is reported also when the JUnit file cannot be written", async () => {
    const url = await openReceiverServer(countsFromZero);
    const { code, stdout, stderr } = await check(
      url,
      "--json",
      "--junit",
      join(folderWith({}), "no", "junit.xml"),
    );
    expect([code, brokenRules(JSON.parse(stdout).results)]).toEqual([1, ["partial-index"]]);
    expect(JSON.parse(stderr).error.message).toContain('junit.xml": no such file or folder');
  });

  test("names who cannot be asked", async () => {
    const { code, stdout } = await check("http://127.0.0.1:1/");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^FAILED {3}accept .* the call failed: connection refused by 127\.0\.0\.1:1$/m);
    const refused = await check("http://10.0.0.1/hook");
    expect(refused.stdout).toContain(
      'address 10.0.0.1 is not public, add "10.0.0.1:80" or a network to --allow',
    );
  });
});

describe("the command line", () => {
  const url = "http://127.0.0.1:1/";
  const table: [args: readonly string[], code: number, message: string][] = [
    [[url], 2, "--secret, --secret-file or --channel-has-auth off is required"],
    [[url, "--secret", ""], 2, "--secret, --secret-file or --channel-has-auth off is required"],
    [[url, "--secret", "a", "--channel-has-auth", "off"], 2, "cannot be combined with a secret"],
    [[url, "--secret-file", "gone.txt"], 1, 'cannot read the secret file "gone.txt": no such file or folder'],
    [["here", "--secret", "a"], 2, 'the URL is "here", must be a URL such as'],
    [["here"], 2, 'the URL is "here", must be a URL such as'],
    [
      [url, "--secret", "a", "--allow", "all"],
      2,
      '--allow is "all", must be an address or a network such as',
    ],
    [[url, "--secret", "a", "--header", "bad"], 2, '--header is "bad", must be a header such as'],
    [
      [url, "--secret", "a", "--second-secret", "a"],
      2,
      "the second secret is empty or the same as the first",
    ],
    [
      [url, "--channel-has-auth", "off", "--second-secret", "a"],
      2,
      "cannot be combined with a second secret",
    ],
    [
      [url, "--secret", "a", "--tls-ca", "gone.pem"],
      1,
      'cannot read the certificates file "gone.pem": no such file or folder',
    ],
    [
      [url, "--secret", "a", "--tls-ca", "."],
      1,
      'cannot read the certificates file ".": it is a folder, not a file',
    ],
    [[url, "--secret", "a", "--tls-ca", import.meta.filename], 1, "which has no valid PEM certificate"],
    [[url, "--secret", "a", "--skip", "none"], 2, '--skip is "none", valid are "accept", '],
    [[url, "--secret", "a", "--rate", "0"], 2, "must be a whole number, at least 1"],
    [[], 2, "missing required argument 'url'"],
  ];
  test.each(table)("%j", async (args, code, message) => {
    const result = await runEngage(["check", ...args]);
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  test("trusts the authorities of a file, and of a file only", async () => {
    const { cert, key } = createIdentity();
    const cwd = folderWith({ "ca.pem": cert, "other.pem": createIdentity().cert });
    const url = await openReceiverServer(createReceiver(), { cert, key });
    const args = ["check", url, "--secret", secret, ...quick];
    const trusted = await runEngage([...args, "--tls-ca", "ca.pem"], { cwd });
    expect([trusted.code, trusted.stdout]).toEqual([0, expect.stringContaining(" 0 failed")]);
    const others = [args, [...args, "--tls-ca", "other.pem"]].map((all) => runEngage(all, { cwd }));
    for (const { code, stdout } of await Promise.all(others)) {
      expect([code, stdout]).toEqual([
        1,
        expect.stringMatching(/^FAILED +accept .* self-signed certificate/m),
      ]);
    }
  });

  test("takes the secret from a file, and sends the channel's headers", async () => {
    const cwd = folderWith({ "secret.txt": `${secret}\n` });
    const right = createReceiver();
    const url = await openReceiverServer((request) =>
      request.headers["x-api-key"] === "abc" ? right(request) : Promise.resolve({ status: 403, text: "" }),
    );
    const args = ["check", url, "--secret-file", "secret.txt", ...quick];
    const codes = [
      (await runEngage([...args, "--header", "X-Api-Key: abc"], { cwd })).code,
      (await runEngage(args, { cwd })).code,
    ];
    expect(codes).toEqual([0, 1]);
  });
});
