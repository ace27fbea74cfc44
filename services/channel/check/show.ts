import { exactCountOf } from "../../../base/text/count.ts";
import type { Exchanged } from "./session.ts";

/** Of a body, more is not shown. */
const maxShown = 400;

/** A call in words, with its headers and the beginning of its body. The secret is not in it. */
export function showRequest({ what, headers, body }: Exchanged): string {
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [what, ...named, cut(Buffer.from(body).toString("utf8"), body.length)].join("\n");
}

export function showAnswer({ outcome, ms }: Exchanged): string {
  const time = `after ${Math.round(ms)} ms`;
  if (outcome.kind !== "answer") return `none ${time}: ${outcome.message}`;
  const { status, headers, text } = outcome;
  const location = headers["location"];
  return [
    `HTTP ${status} ${time}`,
    ...(location === undefined ? [] : [`location: ${location}`]),
    text === "" ? "(no body)" : cut(text, Buffer.byteLength(text)),
  ].join("\n");
}

function cut(text: string, bytes: number): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}… (${exactCountOf(bytes, "byte")})` : text;
}
