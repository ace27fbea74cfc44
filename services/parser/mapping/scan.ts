/**
 * JSON read in place, for lines that look like those before. It takes compact JSON in the spelling that JSON.stringify
 * has for it, so that a value can be copied as it stands: texts without escapes, numbers of at most 15 digits, lists of
 * these. Everything else is left to JSON.parse, also what is no JSON.
 */

const quote = 34;
const comma = 44;
const minus = 45;
const point = 46;
const zero = 48;
const nine = 57;
const listStart = 91;
const listEnd = 93;
const objectEnd = 125;
const letterF = 102;
const letterN = 110;
const letterT = 116;

/** Numbers of more digits need not be spelt as JSON.stringify does, nor be exact. */
const maxDigits = 15;
/** JSON.stringify writes 0.000001 but 1e-7. */
const maxSmallDecimals = 6;
const none = -1;

/** What a text may not hold as it stands: control characters are no JSON, and a backslash begins an escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const notPlain = /[\u0000-\u001f\\]/;

/** Where the values of a line stand. */
export interface Spans {
  readonly starts: number[];
  readonly ends: number[];
}

/**
 * Notes the values of a line that consists of these members: `heads` are the keys in their order with all that stands
 * before their values, `{"a":` and `,"b":`. False when it is any other line.
 */
export function scanMembers(line: string, heads: readonly string[], { starts, ends }: Spans): boolean {
  let at = 0;
  for (let index = 0; index < heads.length; index++) {
    const head = heads[index]!;
    if (!line.startsWith(head, at)) return false;
    at += head.length;
    const end = endOfValue(line, at);
    if (end === none) return false;
    starts[index] = at;
    ends[index] = end;
    at = end;
  }
  return line.charCodeAt(at) === objectEnd && at + 1 === line.length && !notPlain.test(line);
}

/** The value of a span, as JSON.parse gives it. */
export function valueAt(line: string, start: number, end: number): unknown {
  const first = line.charCodeAt(start);
  if (first === quote) return line.slice(start + 1, end - 1);
  if (first === letterN) return null;
  if (first === letterT) return true;
  if (first === letterF) return false;
  return first === listStart ? JSON.parse(line.slice(start, end)) : Number(line.slice(start, end));
}

export function isNullAt(line: string, start: number): boolean {
  return line.charCodeAt(start) === letterN;
}

/** Offset behind the value that starts here, −1 when it is none that can be copied. */
function endOfValue(line: string, start: number): number {
  return line.charCodeAt(start) === listStart ? endOfList(line, start) : endOfScalar(line, start);
}

function endOfList(line: string, start: number): number {
  let at = start + 1;
  if (line.charCodeAt(at) === listEnd) return at + 1;
  for (;;) {
    at = endOfScalar(line, at);
    if (at === none) return none;
    const next = line.charCodeAt(at);
    at++;
    if (next === listEnd) return at;
    if (next !== comma) return none;
  }
}

function endOfScalar(line: string, start: number): number {
  const first = line.charCodeAt(start);
  if (first === quote) return line.indexOf('"', start + 1) + 1 || none;
  if (first === letterT) return endOfWord(line, "true", start);
  if (first === letterF) return endOfWord(line, "false", start);
  if (first === letterN) return endOfWord(line, "null", start);
  return endOfNumber(line, start);
}

function endOfWord(line: string, word: string, start: number): number {
  return line.startsWith(word, start) ? start + word.length : none;
}

function endOfNumber(line: string, start: number): number {
  const first = line.charCodeAt(start) === minus ? start + 1 : start;
  const whole = endOfDigits(line, first);
  const isZero = line.charCodeAt(first) === zero;
  if (whole === first || (isZero && whole !== first + 1) || whole - first > maxDigits) return none;
  // −0 is written as 0.
  if (line.charCodeAt(whole) !== point) return isZero && first !== start ? none : whole;
  const end = endOfDigits(line, whole + 1);
  const decimals = end - whole - 1;
  // A zero at the end would not be written.
  if (decimals === 0 || line.charCodeAt(end - 1) === zero) return none;
  return whole - first + decimals > maxDigits || (isZero && decimals > maxSmallDecimals) ? none : end;
}

function endOfDigits(line: string, start: number): number {
  let at = start;
  for (let code = line.charCodeAt(at); code >= zero && code <= nine; code = line.charCodeAt(at)) at++;
  return at;
}
