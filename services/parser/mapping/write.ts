/** Longer texts are written by JSON.stringify, which is faster for them. */
const maxScanned = 48;

const quoteCode = 34;
const backslashCode = 92;

/**
 * A key as it is written before a value or before a text: as the first member of an object, after another member, or
 * after a text whose closing quote is missing. Each concatenated piece costs 20 ns when the text is flattened, so the
 * closing quote is written together with the next key.
 */
export interface Head {
  readonly first: string;
  readonly firstText: string;
  readonly next: string;
  readonly nextText: string;
  readonly nextAfterText: string;
  readonly nextTextAfterText: string;
}

export function headOf(key: string): Head {
  const first = `${JSON.stringify(key)}:`;
  return {
    first,
    firstText: `${first}"`,
    next: `,${first}`,
    nextText: `,${first}"`,
    nextAfterText: `",${first}`,
    nextTextAfterText: `",${first}"`,
  };
}

/** Returns the key of a member after `text`, whose last member may be open: a text without its closing quote. */
export function writeKey(head: Head, text: string, isOpen: boolean, isText: boolean): string {
  if (isOpen) return isText ? head.nextTextAfterText : head.nextAfterText;
  if (text === "") return isText ? head.firstText : head.first;
  return isText ? head.nextText : head.next;
}

/** Throws a RangeError for infinite numbers, which JSON.stringify writes as null. */
function checkFinite(value: unknown): void {
  if (typeof value === "number" && value - value !== 0) throw new RangeError("number beyond 1.8e308");
}

/** Returns the JSON text of a value that is not written as an open text. Throws as checkFinite does. */
export function writeValue(value: unknown): string {
  if (typeof value === "number") {
    checkFinite(value);
    return `${value}`;
  }
  if (typeof value === "boolean") return value ? "true" : "false";
  return (Array.isArray(value) ? shortList(value) : undefined) ?? writeNested(value);
}

/** Returns JSON.stringify of a value; throws as checkFinite does for numbers at any depth. */
export function writeNested(value: unknown): string {
  const text = JSON.stringify(value);
  // Infinite numbers are written as null, so most values need no check.
  if (typeof value === "object" && text.includes("null")) checkAllFinite(value);
  return text;
}

function checkAllFinite(value: unknown): void {
  checkFinite(value);
  if (typeof value === "object" && value !== null) Object.values(value).forEach(checkAllFinite);
}

/** Longer lists are written by JSON.stringify. */
const maxListed = 8;

/** Returns the JSON text of a short list of numbers and short texts, which takes 300 ns less than JSON.stringify. */
function shortList(list: readonly unknown[]): string | undefined {
  if (list.length > maxListed) return undefined;
  let text = "[";
  for (let index = 0; index < list.length; index++) {
    const value = list[index];
    if (index > 0) text += ",";
    if (typeof value === "number" && value - value === 0) text += value;
    else if (typeof value === "string" && isPlainText(value)) text += `"${value}"`;
    else return undefined;
  }
  return `${text}]`;
}

/** Reports whether a text needs no escaping; false for long texts, which JSON.stringify writes. */
export function isPlainText(text: string): boolean {
  if (text.length > maxScanned) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code === quoteCode || code === backslashCode || code >= 0xd800) return false;
  }
  return true;
}
