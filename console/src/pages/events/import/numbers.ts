/** The mark before the fraction of a number: 1,234.5 or 1.234,5. */
export type DecimalMark = "point" | "comma";

/** A number of JSON: others, such as 007 and 1e999, stay texts. */
const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Returns the form of numbers as people write them: with a sign of a currency before or after, and with marks between
 * groups of three digits, which are all the same.
 */
function formOf(group: string, fraction: string): RegExp {
  const whole = String.raw`0|[1-9]\d{0,2}(?<mark>[${group}\s'’])\d{3}(?:\k<mark>\d{3})*|[1-9]\d*`;
  return new RegExp(
    String.raw`^(-?)(?:\p{Sc}\s?)?(-?)(?<whole>${whole})(?:[${fraction}](?<fraction>\d+))?(?:\s?\p{Sc})?$`,
    "u",
  );
}

const forms: Readonly<Record<DecimalMark, RegExp>> = { point: formOf(",", "."), comma: formOf(".", ",") };

/** Reads a number as tables have it, and returns it as JSON has it, with all its digits; undefined for what is none. */
export function readNumber(value: string, mark: DecimalMark): string | undefined {
  const text = value.trim();
  if (mark === "point" && jsonNumber.test(text)) return Number.isFinite(Number(text)) ? text : undefined;
  const match = forms[mark].exec(text);
  if (match === null) return undefined;
  const [, before = "", after = ""] = match;
  const { whole = "", fraction } = match.groups!;
  if (before !== "" && after !== "") return undefined;
  const digits = whole.replace(/\D/g, "");
  return `${before}${after}${digits}${fraction === undefined ? "" : `.${fraction}`}`;
}

/** Reports whether a number is written as in JSON, so that all programs read it. */
export function isPlainNumber(value: string): boolean {
  return jsonNumber.test(value.trim());
}

/** Returns the mark with which most columns consist of numbers; of two that fit alike, the point. */
export function guessMark(columns: readonly (readonly string[])[]): DecimalMark {
  const fitting = (mark: DecimalMark) =>
    columns.filter((values) => values.length > 0 && values.every((value) => readNumber(value, mark))).length;
  return fitting("comma") > fitting("point") ? "comma" : "point";
}
