import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { probeIds } from "../../../../services/channel/check/check.ts";
import { probes } from "../../../../services/channel/check/probes.ts";
import type { Exchange } from "../../../../services/channel/exchange/exchange.ts";
import { createReceiver, type Receiver } from "./receiver.ts";
import { openReceiverServer } from "./receiver-server.ts";
import { brokenRules, runCheck } from "./run-check.ts";

/** The probes that fail for each of the wrong receivers; no others fail. */
const faults: Readonly<Record<string, readonly string[]>> = {
  "accepts-any-signature": ["signature-wrong", "signature-other-secret", "signature-other-body"],
  "accepts-no-signature": ["signature-missing"],
  "answers-500-for-bad-elements": ["partial-failure"],
  "answers-nothing": ["accept"],
  "answers-null-fail-list": ["partial-named"],
  "compares-content-type": ["content-type-charset"],
  "compares-eight-digits": ["signature-cut", "signature-altered"],
  "compares-hex-as-text": ["signature-upper-case"],
  "compares-what-is-given": ["signature-empty", "signature-cut"],
  "counts-from-the-end": ["partial-index"],
  "counts-from-zero": ["partial-index"],
  "fails-batch-for-null": ["nulls-for-text"],
  "fails-empty-array": ["empty-array"],
  "fails-repeats": ["repeat"],
  "forgets-fail-list": ["repeat-partial"],
  "gives-no-reason": ["partial-reason"],
  "handles-repeats-again": ["repeat-once"],
  "knows-batches-by-execution": ["repeat-other-request"],
  "knows-journeys-by-flow": ["repeat-journey"],
  "knows-one-secret": ["signature-second-secret"],
  "limits-batch-to-100": ["batch-500"],
  "limits-body-to-1-mib": ["body-1-mb"],
  "needs-request-id": ["journey"],
  "reads-latin1": ["body-non-ascii"],
  "refuses-copies-in-work": ["repeat-overlapping"],
  "refuses-without-return-code": ["refusal-form"],
  "slow-under-load": ["throughput"],
  "takes-anything": ["not-json", "not-an-array"],
  "takes-empty-secret": ["signature-empty-secret"],
  "verifies-rewritten-body": ["body-spaces", "body-escapes"],
  "writes-return-code-as-text": ["accept"],
};

describe("wrong receivers", () => {
  test("all of the folder are checked", () => {
    const names = readdirSync(new URL("wrong-receivers", import.meta.url));
    expect(names.toSorted()).toEqual(Object.keys(faults).map((name) => `${name}.ts`));
  });

  test.each(Object.entries(faults))("%s", async (name, found) => {
    const { receiver } = (await import(`./wrong-receivers/${name}.ts`)) as { receiver: Receiver };
    expect(brokenRules(await runCheck(await openReceiverServer(receiver)))).toEqual(found);
  });
});

describe("a right receiver", () => {
  test("breaks no rule, and is asked about all", async () => {
    const results = await runCheck(await openReceiverServer(createReceiver()));
    expect(results.map(({ id, outcome }) => `${id} ${outcome}`)).toEqual(
      probeIds.map((id) => `${id} passed`),
    );
  });

  test("without a secret is not asked about signatures", async () => {
    const url = await openReceiverServer(createReceiver({ isSigned: () => true }));
    const results = await runCheck(url, { secret: undefined, secondSecret: undefined });
    expect(brokenRules(results)).toEqual([]);
    expect(results.filter(({ outcome }) => outcome === "skipped").map(({ id }) => id)).toEqual(
      probeIds.filter((id) => id.startsWith("signature-")),
    );
  });

  test("without a second secret is not asked about it", async () => {
    const results = await runCheck(await openReceiverServer(createReceiver()), { secondSecret: undefined });
    expect(results.filter(({ outcome }) => outcome !== "passed")).toMatchObject([
      { id: "signature-second-secret", outcome: "skipped", detail: "no second secret to sign with" },
    ]);
  });

  test("can be asked about a push id that it knows as bad", async () => {
    const steps = createReceiver({
      faultOf: ({ push_id: id }) => (id === "gone" ? "no such user" : undefined),
    });
    const url = await openReceiverServer(steps);
    const [structural, known] = [await runCheck(url), await runCheck(url, { knownBadPushId: "gone" })];
    expect([brokenRules(structural), brokenRules(known)]).toEqual([["partial-named"], []]);
  });
});

describe("the run", () => {
  const down: Exchange = () => Promise.resolve({ kind: "connection", message: "connection refused" });

  test("ends at the first probe when nothing is taken", async () => {
    const results = await runCheck("http://127.0.0.1:1/", { exchange: down });
    expect(results[0]).toMatchObject({
      id: "accept",
      outcome: "failed",
      detail: "the call failed: connection refused",
      failure: { answered: expect.stringMatching(/^none after \d+ ms: connection refused$/) },
    });
    expect(new Set(results.slice(1).map(({ detail }) => detail))).toEqual(new Set(['depends on "accept"']));
  });

  test("skips the excluded probes and runs the others", async () => {
    const url = await openReceiverServer(createReceiver());
    const results = await runCheck(url, { skip: ["repeat", "throughput"] });
    expect(results.filter(({ outcome }) => outcome !== "passed")).toMatchObject([
      { id: "repeat", outcome: "skipped", detail: "excluded, as requested" },
      { id: "throughput", outcome: "skipped", detail: "excluded, as requested" },
    ]);
  });

  test("sends reserved push ids only, and shows neither secret nor headers", async () => {
    const pushIds = new Set<unknown>();
    const right = createReceiver({ isSigned: () => false });
    const headers = { Authorization: "Bearer of a secret" };
    const url = await openReceiverServer((request) => {
      const elements = JSON.parse(request.body.toString()) as { push_id: string }[];
      for (const { push_id: id } of elements) pushIds.add(id);
      return right(request);
    });
    const [first] = await runCheck(url, { headers });
    expect([...pushIds]).toEqual(["engage-check-1", "engage-check-2"]);
    const text = JSON.stringify(first);
    expect(text).toContain("Authorization: (as given)");
    expect(text).not.toMatch(/Bearer|a secret of the test/);
  });

  test("can be cancelled", async () => {
    const url = await openReceiverServer(createReceiver());
    await expect(runCheck(url, { signal: AbortSignal.abort(new Error("stop")) })).rejects.toThrow("stop");
  });
});

describe("the table of probes", () => {
  test("has each id once, with all that a report needs", () => {
    expect(new Set(probeIds).size).toBe(probeIds.length);
    const texts = probes.flatMap(({ title, rule, change }) => [title, rule, change]);
    expect(texts.filter((text) => text.length < 10)).toEqual([]);
  });

  test("names only probes that were asked before", () => {
    const early = probes.flatMap(({ after }, at) =>
      after.filter((id) => !probeIds.slice(0, at).includes(id)),
    );
    expect(early).toEqual([]);
  });
});
