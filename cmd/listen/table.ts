import { countOf } from "../../base/text/count.ts";
import type { SeenMessage, SeenRequest } from "../../services/webhook/inspect/inspect.ts";
import { type Column, formatTable, printable } from "../terminal/table.ts";

/** Messages of a batch to print. */
const maxRows = 20;
const maxLineLength = 300;

/** Formats a request: its batch as a table, its faults, and the response. */
export function formatSeen(seen: SeenRequest): string {
  const { time, method, path, bytes, messages, requestId, repeat, signature, answer: response, ms } = seen;
  const more = messages.length - maxRows;
  const lines = [
    `${time.slice(11, 23)}  ${printable(`${method} ${path}`)}  ${countOf(messages.length, "message")}, ${countOf(bytes, "byte")}`,
    ...line("request id", requestId ?? ""),
    ...line(
      "repeat",
      repeat === undefined ? "" : `of a batch with ${repeat === "same" ? "the same" : "another"} body`,
    ),
    ...line("signature", signature),
    ...line("receipt", messages[0]?.receipt === undefined ? "" : JSON.stringify(messages[0].receipt)),
    ...(messages.length === 0 ? [] : tableOf(messages.slice(0, maxRows))),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...line("response", `HTTP ${response.status} after ${ms} ms: ${response.text || "(no body)"}`),
  ];
  return `${lines.join("\n")}\n\n`;
}

function line(head: string, text: string): string[] {
  return text === "" ? [] : [`  ${head.padEnd(10)}  ${printable(text, maxLineLength)}`];
}

const columns: readonly Column<SeenMessage>[] = [
  { head: "#", of: ({ index }) => index },
  { head: "PUSH ID", of: ({ pushId }) => pushId },
  { head: "PARAMS", of: ({ params }) => formatValues(params) },
  { head: "CUSTOM PARAMS", of: ({ customParams }) => formatValues(customParams) },
  { head: "FAULT", of: ({ fault = "" }) => fault },
];

/** Formats a table without its empty columns. */
function tableOf(messages: readonly SeenMessage[]): string[] {
  const used = columns.filter(({ of }) => messages.some((message) => of(message) !== ""));
  return formatTable(used, messages)
    .trimEnd()
    .split("\n")
    .map((row) => `  ${row}`);
}

/** `title=hello, items=[{"id":"1"}]` */
function formatValues(values: unknown): string {
  if (values === undefined) return "";
  if (typeof values !== "object" || values === null) return JSON.stringify(values);
  return Object.entries(values)
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
