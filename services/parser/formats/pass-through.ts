import { quoteText } from "../../../base/text/quote.ts";
import { type ParseLine, refuse } from "../line/line.ts";

/** Passes on lines that are records already, byte for byte, without the spaces around them. */
export function createPassThrough(check: "json" | "none"): ParseLine {
  return (line) => {
    const record = line.trim();
    if (!record.startsWith("{") || !record.endsWith("}")) {
      return refuse(
        check === "json" && !isJson(record) ? "invalid_json" : "not_an_object",
        `${quoteText(record)} is not a JSON object`,
      );
    }
    if (check === "json" && !isJson(record))
      return refuse("invalid_json", `${quoteText(record)} is not valid JSON`);
    return [onOneLine(record)];
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** Replaces control characters by spaces: in JSON they occur only between tokens. */
function onOneLine(record: string): string {
  let result = "";
  let from = 0;
  for (let at = 0; at < record.length; at++) {
    if (record.charCodeAt(at) >= 32) continue;
    result += `${record.slice(from, at)} `;
    from = at + 1;
  }
  return from === 0 ? record : result + record.slice(from);
}
