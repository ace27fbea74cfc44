import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Refusal, type RefusalKind } from "../../../../services/webhook/receive/refusal.ts";
import {
  createRefusedRequests,
  type RefusedRequests,
  type RefusedRequestsOptions,
} from "../../../../services/webhook/refused/refused-requests.ts";

function secretsOf(values: readonly string[], headers: readonly string[] = []) {
  const secrets = values.map((value) => ({
    key: createSecretKey(Buffer.from(value)),
    expiresMs: undefined,
  }));
  const requiredHeaders = headers.map((value) => ({ name: "x-key", value: Buffer.from(value) }));
  return { secrets, requiredHeaders };
}

function open(): RefusedRequests {
  const channels: RefusedRequestsOptions["channels"] = new Map([
    ["mail", secretsOf(["key", "longer-key", 'wo"rd', "abcd", "cdef"])],
    ["open", secretsOf([], ["1", "of-header"])],
  ]);
  return createRefusedRequests({ channels, now: () => 7_000 });
}

const refusal = (kind: RefusalKind = "bad_body", message = "no") => new Refusal(kind, message);
const numbers = (requests: RefusedRequests, filter = {}, before = Infinity, limit = 1_000) =>
  requests.list(filter, before, limit).map(({ number }) => number);
const textOf = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString();

describe("refused requests", () => {
  it("are kept with what is known about them", () => {
    const requests = open();
    requests.add("mail", new Refusal("unauthenticated", "signature mismatch", { detail: "plain hash" }));
    requests.add("open", refusal(), Buffer.from("[1"));
    expect(requests.list({}, Infinity, 9)).toEqual([
      {
        number: 2,
        atMs: 7_000,
        channel: "open",
        kind: "bad_body",
        message: "no",
        cause: "",
        body: new Uint8Array(Buffer.from("[1")),
        bodyBytes: 2,
      },
      {
        number: 1,
        atMs: 7_000,
        channel: "mail",
        kind: "unauthenticated",
        message: "signature mismatch",
        cause: "plain hash",
        body: new Uint8Array(),
        bodyBytes: undefined,
      },
    ]);
  });

  it("are listed by channel, kind and place", () => {
    const requests = open();
    requests.add("mail", refusal());
    requests.add("open", refusal("conflict"));
    requests.add("mail", refusal("conflict"));
    requests.add("nope", refusal("unknown_channel"));
    expect(numbers(requests)).toEqual([4, 3, 2, 1]);
    expect(numbers(requests, { channel: "mail" })).toEqual([3, 1]);
    expect(numbers(requests, { channel: "nope" })).toEqual([4]);
    expect(numbers(requests, { kind: "conflict" })).toEqual([3, 2]);
    expect(numbers(requests, { kind: "conflict", channel: "open" })).toEqual([2]);
    expect(numbers(requests, {}, 4, 2)).toEqual([3, 2]);
  });

  it("of a channel are the latest 200, whatever comes to others", () => {
    const requests = open();
    requests.add("open", refusal());
    for (let count = 0; count < 250; count++) requests.add("mail", refusal());
    expect(numbers(requests, { channel: "open" })).toEqual([1]);
    expect(numbers(requests, { channel: "mail" })).toHaveLength(200);
    expect(numbers(requests, { channel: "mail" })[0]).toBe(251);
  });

  it("of made-up channels take one place together", () => {
    const requests = open();
    for (let count = 0; count < 1_000; count++) {
      requests.add(`${count}`.repeat(100), refusal("unknown_channel"), Buffer.alloc(100_000));
    }
    const kept = requests.list({}, Infinity, 10_000);
    expect(kept).toHaveLength(200);
    expect(Math.max(...kept.map(({ channel }) => channel.length))).toBe(100);
    expect(kept.map(({ body, bodyBytes }) => [body.buffer.byteLength, bodyBytes])).toEqual(
      kept.map(() => [4_096, 100_000]),
    );
  });

  it.each([
    ["mail", '{"secret":"longer-key","b":"key"}', '{"secret":"**********","b":"***"}'],
    ["nope", "keykey", "******"],
    ["mail", "nothing", "nothing"],
    ["mail", 'wo"rd wo\\"rd', "***** ******"],
    ["mail", "abcdef", "******"],
    ["open", "1 of-header", "1 *********"],
  ])("of %s never contain a secret: %s", (channel, body, kept) => {
    const requests = open();
    requests.add(channel, refusal(), Buffer.from(body));
    expect(textOf(requests.list({}, Infinity, 1)[0]?.body)).toBe(kept);
  });

  it("never contain a secret that is in their texts", () => {
    const requests = open();
    const detail = 'the same is "longer-key"';
    requests.add("longer-key", new Refusal("unknown_channel", 'no channel "longer-key"', { detail }));
    requests.add(`${"x".repeat(95)}longer-key`, refusal("unknown_channel", 'no channel "wo\\"rd"'));
    expect(
      requests.list({}, Infinity, 2).map(({ channel, message, cause }) => [channel, message, cause]),
    ).toEqual([
      [`${"x".repeat(95)}*****`, 'no channel "******"', ""],
      ["**********", 'no channel "**********"', 'the same is "**********"'],
    ]);
  });

  it("of many channels are 8,000, of which each channel loses those that it has more of", () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `channel-${i}`);
    const channels = new Map(names.map((name) => [name, secretsOf([name])]));
    const requests = createRefusedRequests({ channels, now: () => 7_000 });
    requests.add(names[999]!, refusal());
    for (let round = 0; round < 20; round++) for (const name of names) requests.add(name, refusal());
    const kept = Map.groupBy(requests.list({}, Infinity, 100_000), ({ channel }) => channel);
    const sizes = [...kept.values()].map(({ length }) => length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(8_000);
    expect([Math.min(...sizes), Math.max(...sizes)]).toEqual([8, 8]);
  });

  it("never contain the beginning of a secret where the body is cut", () => {
    const requests = open();
    requests.add("mail", refusal(), Buffer.from(`${"x".repeat(4_090)}longer-key`));
    expect(textOf(requests.list({}, Infinity, 1)[0]?.body)).toBe(`${"x".repeat(4_090)}******`);
  });
});
