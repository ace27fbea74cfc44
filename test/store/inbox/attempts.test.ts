import { expect, it } from "vitest";
import { type AttemptRecord, decodeAttempts, encodeAttempts } from "../../../store/inbox/attempts.ts";

const record: AttemptRecord = {
  indexes: [0, 1, 2, 7],
  startedAtMs: 1_700_000_000_000,
  durationMs: 12.3,
  outcome: "dead",
  reason: "HTTP 400: no",
  status: 400,
  answer: "no",
};

it("returns what was encoded", () => {
  const records: AttemptRecord[] = [
    record,
    { ...record, indexes: [3], durationMs: null, outcome: "done", reason: null, status: null, answer: null },
    { ...record, indexes: [4], outcome: "retry", reason: "\0 \ud83d", answer: "é\u2028" },
  ];
  expect(decodeAttempts(encodeAttempts(records)!)).toEqual(records);
});

it.each([undefined, []])("encodes no attempts as null: %j", (records) => {
  expect(encodeAttempts(records)).toBeNull();
});

it.each([
  ["a".repeat(1_024), "a".repeat(1_024)],
  ["a".repeat(1_025), "a".repeat(1_024)],
  [`${"a".repeat(1_023)}é`, "a".repeat(1_023)],
  [`${"a".repeat(1_021)}😀😀`, "a".repeat(1_021)],
  ["é".repeat(600), "é".repeat(512)],
])("keeps 1,024 bytes of an answer, and whole characters", (answer, kept) => {
  expect(decodeAttempts(encodeAttempts([{ ...record, answer }])!)).toMatchObject([{ answer: kept }]);
});

it("keeps an answer to many calls once", () => {
  const answer = "x".repeat(1_000);
  const content = encodeAttempts(Array.from({ length: 500 }, () => ({ ...record, answer })))!;
  expect(content.length).toBeLessThan(500 * 45 + 2_000);
});

it("bounds the answers to one settlement, and keeps all attempts", () => {
  const records = Array.from({ length: 200 }, (_, i) => ({ ...record, answer: `${i} `.padEnd(1_000, "x") }));
  const decoded = decodeAttempts(encodeAttempts(records)!);
  expect(decoded.map(({ status }) => status)).toEqual(records.map(() => 400));
  expect(decoded.filter(({ answer }) => answer !== null)).toHaveLength(65);
});

it.each(["", "odd", "{}", "[[],[[1]]]", "[[]]"])("reads nothing from the damaged text %j", (content) => {
  expect(decodeAttempts(content)).toEqual([]);
});
