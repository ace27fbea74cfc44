import fc from "fast-check";

/** A JSON string in which every unit is an escape. */
export function escapeAll(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) =>
    text.charCodeAt(at).toString(16).padStart(4, "0"),
  );
  return `"${units.map((unit) => `\\u${unit}`).join("")}"`;
}

/** Ways to write one value that a parser would not write again. */
const scalar = fc.oneof(
  fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
  fc.integer().map((value) => `${value}.0`),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => `${value}`.replace("e", "E")),
  fc.string({ unit: "grapheme" }).map((text) => JSON.stringify(text)),
  fc.string().map((text) => JSON.stringify(text).replaceAll("/", "\\/")),
  fc.string({ unit: "binary" }).map(escapeAll),
  fc.constantFrom("true", "false", "null", "-0", "1e400", '"\\ud800"'),
);

const key = fc.oneof(
  fc.constantFrom('"ops_project_id"', '"ops_task_id"', '"a"', '"10"', '"9"', '"\\u0061"', '"__proto__"'),
  fc.string().map((text) => JSON.stringify(text)),
);
const space = fc.constantFrom("", "", " ", "\n  ");

const { object } = fc.letrec<{ object: string; value: string; list: string }>((tie) => ({
  value: fc.oneof({ depthSize: "small", withCrossShrink: true }, scalar, tie("list"), tie("object")),
  list: fc
    .tuple(fc.array(tie("value"), { maxLength: 4 }), space)
    .map(([items, gap]) => `[${gap}${items.join(`,${gap}`)}]`),
  object: fc
    .tuple(fc.array(fc.tuple(key, tie("value")), { maxLength: 8 }), space)
    .map(([members, gap]) => `{${gap}${members.map(([name, value]) => `${name}${gap}:${value}`).join(",")}}`),
}));

/**
 * JSON objects as a hostile or merely different sender may write them: big
 * integers, 1.0, escapes, integer-like keys out of order, repeated keys.
 */
export const receiptText = object;
