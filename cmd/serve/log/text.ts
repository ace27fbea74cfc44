import { inspect } from "node:util";

/** Fields that are not printed as name=value. */
const placed = new Set(["level", "time", "msg", "err"]);

/** Formats a JSON line of the log as text; any other line is returned unchanged. */
export function toText(line: string): string {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line);
  } catch {
    return line;
  }
  const { level, time, msg, err } = fields;
  const clock = typeof time === "string" ? time.slice(11, 23) : "";
  const rest = Object.entries(fields)
    .filter(([name]) => !placed.has(name))
    .map(([name, value]) => `${name}=${plain(value)}`);
  const head = [clock, String(level).toUpperCase().padEnd(5), plain(msg ?? ""), ...rest];
  return `${head.join(" ").trimEnd()}\n${err === undefined ? "" : indent(errorText(err))}`;
}

/** Quotes a value unless it is plain text: a value must not move the cursor or forge a line. */
function plain(value: unknown): string {
  if (typeof value === "string" && !/[\p{C}\p{Zl}\p{Zp}"\\]/u.test(value)) return value;
  return JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function errorText(err: unknown): string {
  const stack = (err as { stack?: unknown } | null)?.stack;
  return typeof stack === "string" ? stack : inspect(err);
}

function indent(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => `    ${plain(line)}\n`);
  return lines.join("");
}
