import { quoteText } from "../../../base/text/quote.ts";
import { refuse } from "../line/line.ts";
import { readClient } from "./access-log-client.ts";
import type { FieldReader, ReadLine } from "./field-reader.ts";
import { readQuoted, setPresent } from "./tokens.ts";

const knownFields = [
  "host",
  "server_port",
  "remote_addr",
  "remote_port",
  "forwarded_for",
  "ident",
  "remote_user",
  "time_local",
  "request",
  "method",
  "path",
  "protocol",
  "status",
  "body_bytes_sent",
  "referer",
  "user_agent",
  "extra",
];

/**
 * Reads the common and the combined access log of web servers, with or without the virtual host before the address. `-`
 * means "no value". A request that is not `METHOD path PROTOCOL/digits` (attacks, broken clients) is kept whole in
 * `request`; text after the combined fields is kept in `extra`.
 */
export function createAccessLogReader(): FieldReader {
  return { read: readAccessLog, knownFields };
}

const readAccessLog: ReadLine = (line) => {
  // The name of a user may contain brackets, but its quotes are escaped: the first `] "` ends the time.
  const firstStart = line.indexOf(" [");
  const timeEnd = firstStart === -1 ? -1 : line.indexOf('] "', firstStart);
  const timeStart = timeEnd === -1 ? -1 : lastBefore(line, " [", firstStart, timeEnd);
  if (timeStart === -1) return noMatch(line, 'no [time] and "request"');
  const request = readQuoted(line, timeEnd + 2);
  if (request === undefined) return noMatch(line, "the quote of the request is not closed");
  const [status, bytes, afterBytes] = readNumbers(line, request.end);
  if (!isCount(status) || !isCount(bytes)) return noMatch(line, "no status and size");
  const fields: Record<string, unknown> = {};
  readClient(fields, line.slice(0, timeStart).trimStart());
  fields["time_local"] = line.slice(timeStart + 2, timeEnd);
  setRequest(fields, request.value);
  if (status !== "-") fields["status"] = Number(status);
  if (bytes !== "-") fields["body_bytes_sent"] = Number(bytes);
  setTail(fields, line, afterBytes);
  return [fields];
};

/** Returns the last position of a text before an end; its first position is known. Searching backwards is slower. */
function lastBefore(line: string, text: string, first: number, end: number): number {
  let last = first;
  for (let at = first; at !== -1 && at < end; at = line.indexOf(text, at + 1)) last = at;
  return last;
}

function noMatch(line: string, what: string) {
  return refuse("no_match", `${quoteText(line)} is not an access log line: ${what}`);
}

/** Reads ` status bytes` and returns the position after them. */
function readNumbers(line: string, at: number): [status: string, bytes: string, end: number] {
  const statusEnd = line.indexOf(" ", at + 1);
  if (line[at] !== " " || statusEnd === -1) return ["", "", at];
  const found = line.indexOf(" ", statusEnd + 1);
  const end = found === -1 ? line.length : found;
  return [line.slice(at + 1, statusEnd), line.slice(statusEnd + 1, end).trimEnd(), end];
}

/** Reports whether a text is `-` or has up to 15 digits, so that the number is exact. */
function isCount(text: string): boolean {
  if (text === "-") return true;
  if (text === "" || text.length > 15) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

const methodPattern = /^[A-Za-z][\w-]*$/;
const protocolPattern = /^[A-Za-z]+\/\d+(?:\.\d+)?$/;

// Most lines have the usual values and need no pattern.
const isMethod = (text: string): boolean => text === "GET" || text === "POST" || methodPattern.test(text);
const isProtocol = (text: string): boolean =>
  text === "HTTP/1.1" || text === "HTTP/2.0" || protocolPattern.test(text);

/** Reports whether a text has no spaces around it. */
function isPath(text: string): boolean {
  return text.charCodeAt(0) > 32 && text.charCodeAt(text.length - 1) > 32;
}

/**
 * Splits a request into method (a token of RFC 9110), path and protocol; servers log broken paths with their spaces.
 */
function setRequest(fields: Record<string, unknown>, request: string): void {
  const methodEnd = request.indexOf(" ");
  const protocolStart = request.lastIndexOf(" ") + 1;
  const method = request.slice(0, Math.max(0, methodEnd));
  const path = request.slice(methodEnd + 1, Math.max(methodEnd + 1, protocolStart - 1));
  const protocol = request.slice(protocolStart);
  if (!isPath(path) || !isMethod(method) || !isProtocol(protocol)) {
    setPresent(fields, "request", request);
    return;
  }
  fields["method"] = method;
  fields["path"] = path;
  fields["protocol"] = protocol;
}

/** A referer without quotes is always `-`. */
const unquotedAbsent = ' - "';

function setTail(fields: Record<string, unknown>, line: string, from: number): void {
  const hasNoReferer = line.startsWith(unquotedAbsent, from);
  let at = hasNoReferer ? from + 2 : from;
  for (const name of hasNoReferer ? ["user_agent"] : ["referer", "user_agent"]) {
    const quoted = line[at] === " " && line[at + 1] === '"' ? readQuoted(line, at + 1) : undefined;
    if (quoted === undefined) break;
    setPresent(fields, name, quoted.value);
    at = quoted.end;
  }
  setPresent(fields, "extra", line.slice(at).trim());
}
