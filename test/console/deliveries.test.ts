import { describe, expect, test } from "vitest";
import { beginningOf, hexOf } from "../../console/src/controls/bytes/bytes.ts";
import { fieldValueOf, momentOf } from "../../console/src/controls/time-field/zoned-time.ts";
import { elementsOf, failuresOf } from "../../console/src/pages/deliveries/elements.ts";
import {
  deliveryFilterOf,
  isFiltered,
  mayBeDead,
  readFilters,
} from "../../console/src/pages/deliveries/filters.ts";
import { writeMoment } from "../../console/src/router/moment.ts";
import { collectPage } from "../../console/src/rpc/collect-page.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe("filters", () => {
  const moment = "2026-01-02T03:04:05.678Z";

  test("of the URL are those of the contract", () => {
    const query = new Map([
      ["channel", "mail"],
      ["target", "crm"],
      ["state", "dead"],
      ["push", "ann"],
      ["request", "r-1"],
      ["reason", "HTTP 5"],
      ["from", moment],
      ["until", "2026-01-03T00:00:00Z"],
    ]);
    const filters = readFilters(query);
    expect(filters.state).toBe("dead");
    expect(writeMoment(filters.fromMs)).toBe(moment);
    expect(deliveryFilterOf(filters)).toEqual({
      channel: "mail",
      target: "crm",
      pushId: "ann",
      requestId: "r-1",
      reason: "HTTP 5",
      acceptedFrom: expect.objectContaining({ seconds: 1_767_323_045n, nanos: 678_000_000 }),
      acceptedUntil: expect.objectContaining({ seconds: 1_767_398_400n }),
    });
  });

  test("that are none are left out", () => {
    const filters = readFilters(
      new Map([
        ["state", "toString"],
        ["from", "yesterday"],
        ["show", "batches"],
      ]),
    );
    expect(isFiltered(filters)).toBe(false);
    expect(deliveryFilterOf(filters)).not.toHaveProperty("acceptedFrom");
    expect(isFiltered(readFilters(new Map([["until", moment]])))).toBe(true);
  });

  test.each([
    ["", true],
    ["dead", true],
    ["pending", false],
    ["delivered", false],
  ])("with the state %j may select dead letters: %j", (state, expected) => {
    expect(mayBeDead(readFilters(new Map([["state", state]])))).toBe(expected);
  });
});

describe("a page", () => {
  /** A list of numbers below 100 of which the server reads ten at once. */
  const readerOf = (matches: (number: number) => boolean) => {
    const sizes: number[] = [];
    const read = async (size: number, token: string) => {
      sizes.push(size);
      const from = Number(token || 0);
      const found = Array.from({ length: 10 }, (_, at) => from + at).filter(matches);
      const rows = found.slice(0, size);
      const next = rows.length < found.length ? rows.at(-1)! + 1 : from + 10;
      return { rows, nextToken: next < 100 ? String(next) : "" };
    };
    return { sizes, read };
  };

  test("is filled from several of the server, and no row is lost between pages", async () => {
    const seen: number[] = [];
    let token = "";
    do {
      const page = await collectPage(7, token, readerOf((number) => number % 3 === 0).read);
      expect(page.rows.length).toBeLessThanOrEqual(7);
      seen.push(...page.rows);
      token = page.nextToken;
    } while (token !== "");
    expect(seen).toEqual(Array.from({ length: 34 }, (_, at) => at * 3));
  });

  test("asks for no more than is missing", async () => {
    const { sizes, read } = readerOf((number) => number % 5 === 0);
    await collectPage(5, "", read);
    expect(sizes).toEqual([5, 3, 1]);
  });

  test("ends after some reads where nothing matches", async () => {
    const read = async (_size: number, token: string) => ({ rows: [], nextToken: `${token}x` });
    expect(await collectPage(5, "", read)).toEqual({ rows: [], nextToken: "x".repeat(10) });
  });

  test("ends with what was found when the reads take long", async () => {
    const { sizes, read } = readerOf((number) => number % 10 === 3);
    let ms = 0;
    const now = () => (ms += 150);
    expect(await collectPage(5, "", read, now)).toEqual({ rows: [3, 13, 23], nextToken: "30" });
    expect(sizes).toEqual([5, 4, 3]);
  });
});

describe("elements", () => {
  test.each([
    ["[]", []],
    [" [ ] ", []],
    ['[{"a":[1,{"b":"]"}]}, 2.50 ,"x,\\"],y"]', ['{"a":[1,{"b":"]"}]}', "2.50", '"x,\\"],y"']],
    ['[{"n":9007199254740993,"n":1}]', ['{"n":9007199254740993,"n":1}']],
    ["[[1,2],[]]", ["[1,2]", "[]"]],
    ['["never closed', []],
  ])("of %s are as they are written", (json, expected) => {
    expect(elementsOf(json)).toEqual(expected);
  });

  test("that failed are those of the reply", () => {
    const reply = '{"return_code":0,"data":{"fail_list":[{"index":2,"message":"push_id is required"}]}}';
    expect([...failuresOf(reply)]).toEqual([[2, "push_id is required"]]);
    expect(failuresOf(undefined).size).toBe(0);
    expect(failuresOf("no JSON").size).toBe(0);
    expect(failuresOf('{"return_code":1}').size).toBe(0);
  });
});

describe("bytes", () => {
  test("are shown by place, in hexadecimal digits and characters", () => {
    const bytes = new Uint8Array([...bytesOf('{"a":"é"}\n'), 0, 255, 65, 66, 67, 68, 69]);
    expect(hexOf(bytes)).toBe(
      [
        '00000000  7b 22 61 22 3a 22 c3 a9 22 7d 0a 00 ff 41 42 43  {"a":".."}...ABC',
        "00000010  44 45                                            DE",
      ].join("\n"),
    );
    expect(hexOf(new Uint8Array())).toBe("");
  });

  test("are text up to a character that is cut", () => {
    const bytes = bytesOf("aé😀");
    expect([7, 6, 5, 4, 3, 2].map((end) => beginningOf(bytes.subarray(0, end), end < 7))).toEqual([
      "aé😀",
      "aé",
      "aé",
      "aé",
      "aé",
      "a",
    ]);
    expect(beginningOf(bytes.subarray(0, 6), false)).toBeUndefined();
    expect(beginningOf(new Uint8Array([0x61, 0xff, 0x61, 0x61, 0x61, 0x61]), true)).toBeUndefined();
  });
});

describe("a field for a moment", () => {
  test.each(["", "UTC"])("returns what it was given, in the zone %j", (zone) => {
    const ms = Date.UTC(2026, 6, 2, 3, 4, 5);
    expect(momentOf(fieldValueOf(ms, zone), zone)).toBe(ms);
  });

  test("in UTC has the time of UTC", () => {
    expect(fieldValueOf(Date.UTC(2026, 0, 2, 3, 4, 5, 6), "UTC")).toBe("2026-01-02T03:04:05");
    expect(momentOf("2026-01-02T03:04", "UTC")).toBe(Date.UTC(2026, 0, 2, 3, 4));
  });

  test.each(["", "2026-13-01T00:00"])("has none for %j", (value) => {
    expect(momentOf(value, "UTC")).toBeUndefined();
    expect(momentOf(value, "")).toBeUndefined();
  });
});
