import { block } from "../markdown.ts";
import type { Ask } from "./server.ts";

/** Asks for a result, and shows the request and the members of the response that answer it. */
export async function showQuery(ask: Ask, query: object): Promise<string> {
  const { x, x_compared, union_groups, y } = await ask("event-analyze", query);
  const result = { x, x_compared, union_groups: union_groups.length > 1 ? union_groups : undefined, y };
  return show(query, result);
}

/** Shows a request and a part of its response. */
export function show(query: object, result: object): string {
  return [block("json", formatJson(query)), "Its result:\n", block("json", formatJson(result))].join("\n");
}

const maxWidth = 100;

/** Formats JSON with one line for each part that fits on it. */
export function formatJson(value: unknown, indent = ""): string {
  const line = lineOf(value);
  if (line.length + indent.length <= maxWidth || value === null || typeof value !== "object") return line;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item) => formatJson(item, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([key, member]) => `${JSON.stringify(key)}: ${formatJson(member, inner)}`);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(",\n")}\n${indent}${close}`;
}

function lineOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(lineOf).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return "{}";
  return `{ ${members.map(([key, member]) => `${JSON.stringify(key)}: ${lineOf(member)}`).join(", ")} }`;
}
