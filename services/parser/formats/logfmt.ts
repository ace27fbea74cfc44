import { setKey } from "../../../base/json/raw-numbers.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { refuse } from "../line/line.ts";
import type { FieldReader, ReadLine } from "./field-reader.ts";
import { readQuoted, skipSpaces, space } from "./tokens.ts";

/**
 * Reads `key=value` pairs between spaces. A value may be in double quotes with JSON's escapes; a key without `=` is
 * true; the last of equal keys counts. A line without a pair is refused.
 */
export function createLogfmtReader(): FieldReader {
  return { read: readLogfmt, knownFields: undefined };
}

const readLogfmt: ReadLine = (line) => {
  const fields: Record<string, unknown> = {};
  let pairs = 0;
  for (let at = skipSpaces(line, 0); at < line.length; at = skipSpaces(line, at)) {
    const keyEnd = wordEnd(line, at, true);
    const key = line.slice(at, keyEnd);
    if (line[keyEnd] !== "=") {
      setKey(fields, key, true);
      at = keyEnd;
      continue;
    }
    if (key === "") return refuse("no_match", `"=" without a key at position ${at + 1}`);
    pairs++;
    at = keyEnd + 1;
    if (line[at] === '"') {
      const quoted = readQuoted(line, at);
      if (quoted === undefined) return refuse("no_match", `the quote of ${quoteText(key)} is not closed`);
      setKey(fields, key, quoted.value);
      at = quoted.end;
    } else {
      const end = wordEnd(line, at, false);
      setKey(fields, key, line.slice(at, end));
      at = end;
    }
  }
  return pairs === 0 ? refuse("no_match", `${quoteText(line)} has no key=value pair`) : [fields];
};

function wordEnd(line: string, from: number, isKey: boolean): number {
  let at = from;
  while (at < line.length && line.charCodeAt(at) > space && !(isKey && line[at] === "=")) at++;
  return at;
}
