import { expect, it } from "vitest";
import { createSharedDeadLetters, type DeadLetter } from "../../../store/deadletters/deadletters.ts";

const letter = (line: string | Uint8Array, other: Partial<DeadLetter> = {}): DeadLetter => ({
  time: new Date(0),
  source: "s",
  index: "i",
  format: undefined,
  reason: "r",
  message: `m${line}`,
  line,
  ...other,
});
const join = (texts: readonly string[]): string => `[${texts.join(",")}]`;

function write(letters: readonly DeadLetter[], maxOwn: number): readonly Record<string, unknown>[] {
  const shared = createSharedDeadLetters({ maxOwn, join });
  return [...letters.flatMap((one) => shared.add(one)), ...shared.close()].map((text) => JSON.parse(text));
}

it.each<[string, readonly DeadLetter[], readonly (readonly [unknown, unknown])[]]>([
  ["none", [], []],
  [
    "as many as get one of their own",
    ["1", "2"].map((line) => letter(line)),
    [
      ["1", undefined],
      ["2", undefined],
    ],
  ],
  [
    "one more",
    ["1", "2", "3"].map((line) => letter(line)),
    [
      ["1", undefined],
      ["2", undefined],
      ["3", undefined],
    ],
  ],
  [
    "many",
    ["1", "2", "3", "4", "5"].map((line) => letter(line)),
    [
      ["1", undefined],
      ["2", undefined],
      ["[3,4,5]", 3],
    ],
  ],
  [
    "some for another reason",
    [letter("1"), letter("2"), letter("3"), letter("4", { reason: "q" }), letter("5")],
    [
      ["1", undefined],
      ["2", undefined],
      ["[3,5]", 2],
      ["4", undefined],
    ],
  ],
  [
    "one that is long",
    [letter("1"), letter("2"), letter("3"), letter("x".repeat(50_000)), letter("5")],
    [
      ["1", undefined],
      ["2", undefined],
      ["x".repeat(50_000), undefined],
      ["[3,5]", 2],
    ],
  ],
])("of a request with %s", (_name, letters, expected) => {
  expect(write(letters, 2).map(({ line, lines }) => [line, lines])).toEqual(expected);
});

it("names the first line of a shared dead letter", () => {
  const [own, shared] = write([letter("1"), letter("2"), letter("3")], 1);
  expect(own?.["message"]).toBe("m1");
  expect(shared?.["message"]).toBe("2 lines of one request were refused for this reason, the first: m2");
});

it("keeps bytes which are not text", () => {
  const [shared] = write([letter(Uint8Array.of(0xff)), letter(Uint8Array.of(0xfe))], 0);
  expect(shared).toMatchObject({ lines: 2, line_base64: Buffer.of(0xff, 10, 0xfe).toString("base64") });
});

it.each([
  ["of one reason", () => ({})],
  ["of as many reasons", (at: number) => ({ reason: `r${at % 300}` })],
])("keeps each of 50,000 short lines %s, in few bytes", (_name, other) => {
  const lines = Array.from({ length: 50_000 }, (_, at) => letter(`${at}`, other(at)));
  const written = write(lines, 100);
  const kept = written.flatMap((one) => JSON.parse(`[${String(one["line"]).replace(/^\[|\]$/g, "")}]`));
  expect(kept.sort((a, b) => a - b)).toEqual(lines.map((_, at) => at));
});

it("takes little more space than the lines of one reason", () => {
  const lines = Array.from({ length: 50_000 }, () => letter("x"));
  expect(JSON.stringify(write(lines, 100)).length).toBeLessThan(150_000);
});
