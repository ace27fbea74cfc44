import { isJsonObject, parseJson } from "../../../base/json/raw-numbers.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { type Refusal, refuse } from "../line/line.ts";
import { writeNested } from "../mapping/write.ts";
import { skipSpaces, unescapeLoosely } from "./tokens.ts";

/** Most ends of a broken value that are tried. */
const maxCandidates = 1000;

/** Returns the line inside the JSON of a container log, without its line end. */
export type Unwrap = (wrapper: string) => string | Refusal;

export function compileUnwrap(key: string): Unwrap {
  const quotedKey = JSON.stringify(key);
  return (wrapper) => {
    const parsed = tryParse(wrapper);
    if (parsed === undefined) {
      const inner = cutBroken(wrapper, quotedKey);
      return inner === undefined
        ? refuse("invalid_json", `${quoteText(wrapper)} is not JSON`)
        : withoutLineEnd(inner);
    }
    if (!isJsonObject(parsed)) return refuse("not_an_object", `${quoteText(wrapper)} is not a JSON object`);
    const inner = Object.hasOwn(parsed, key) ? parsed[key] : undefined;
    if (inner === undefined || inner === null) return refuse("missing_key", `${key} is missing`);
    return typeof inner === "string" ? withoutLineEnd(inner) : writeNested(inner);
  };
}

function tryParse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function withoutLineEnd(line: string): string {
  const end = line.endsWith("\r\n") ? -2 : line.endsWith("\n") || line.endsWith("\r") ? -1 : line.length;
  return line.slice(0, end);
}

/**
 * Finds the value in a wrapper whose writer did not escape the quotes in it. The value ends at the first quote after
 * which the rest of the wrapper is JSON. Each try costs at most the length of the rest, so the total is bounded too.
 */
function cutBroken(wrapper: string, quotedKey: string): string | undefined {
  const start = valueStart(wrapper, quotedKey);
  if (start === -1) return undefined;
  const head = `${wrapper.slice(0, start)}"`;
  let budget = 4 * wrapper.length + 1_048_576;
  let end = wrapper.indexOf('"', start);
  for (
    let tries = 0;
    end !== -1 && tries < maxCandidates && budget > 0;
    end = wrapper.indexOf('"', end + 1)
  ) {
    if (!mayFollowValue(wrapper, end + 1)) continue;
    const candidate = head + wrapper.slice(end + 1);
    if (isJsonObject(tryParse(candidate))) return unescapeLoosely(wrapper.slice(start, end));
    tries++;
    budget -= candidate.length;
  }
  return undefined;
}

/** Returns the position after `"key": "`, or −1. */
function valueStart(wrapper: string, quotedKey: string): number {
  for (let at = wrapper.indexOf(quotedKey); at !== -1; at = wrapper.indexOf(quotedKey, at + 1)) {
    const colon = skipSpaces(wrapper, at + quotedKey.length);
    const open = skipSpaces(wrapper, colon + 1);
    if (wrapper[colon] === ":" && wrapper[open] === '"') return open + 1;
  }
  return -1;
}

function mayFollowValue(wrapper: string, at: number): boolean {
  const next = wrapper[skipSpaces(wrapper, at)];
  return next === "," || next === "}";
}
