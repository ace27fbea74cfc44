import { exactCountOf } from "../../../base/text/count.ts";
import type { Exchanged } from "./session.ts";

/** Characters of a body that are shown at most. */
const maxShown = 400;

/** Describes a request: what it is, its headers and the beginning of its body. It does not contain the secret. */
export function showRequest({ what, headers, body }: Exchanged): string {
  const named = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [what, ...named, cut(Buffer.from(body).toString("utf8"), body.length)].join("\n");
}

/** Describes the response of a receiver, or why there is none. */
export function showResponse({ outcome, ms }: Exchanged): string {
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
