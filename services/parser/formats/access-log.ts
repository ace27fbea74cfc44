import { quote, refuse } from "../line.ts";
import { setUnlessAbsent } from "./absent.ts";
import { readQuoted } from "./quoted.ts";
import type { Reader, ReadLine } from "./reader.ts";

const knownFields = [
  "remote_addr",
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
 * The common and the combined access log of web servers. `-` is no value. A request that is no
 * `METHOD path PROTOCOL` (attacks, broken clients) stays whole in `request`; what follows the combined fields is
 * `extra`.
 */
export function createAccessLogReader(): Reader {
  return { read: readAccessLog, knownFields };
}

const readAccessLog: ReadLine = (line) => {
  const timeStart = line.indexOf(" [");
  const timeEnd = line.indexOf("] ", timeStart);
  if (timeStart === -1 || timeEnd === -1) return noMatch(line, "no [time]");
  const request = line[timeEnd + 2] === '"' ? readQuoted(line, timeEnd + 2) : undefined;
  if (request === undefined) return noMatch(line, 'no "request" after the time');
  const [status, bytes, afterBytes] = readNumbers(line, request.end);
  if (!isDigits(status) || !(bytes === "-" || isDigits(bytes))) return noMatch(line, "no status and size");
  const fields: Record<string, unknown> = {};
  setWho(fields, line.slice(0, timeStart));
  fields["time_local"] = line.slice(timeStart + 2, timeEnd);
  setRequest(fields, request.value);
  fields["status"] = Number(status);
  if (bytes !== "-") fields["body_bytes_sent"] = Number(bytes);
  setTail(fields, line, afterBytes);
  return [fields];
};

function noMatch(line: string, what: string) {
  return refuse("no_match", `${quote(line)} is no access log line: ${what}`);
}

/** `<blank>status<blank>bytes` and the position behind them. */
function readNumbers(line: string, at: number): [status: string, bytes: string, end: number] {
  const statusEnd = line.indexOf(" ", at + 1);
  if (line[at] !== " " || statusEnd === -1) return ["", "", at];
  const found = line.indexOf(" ", statusEnd + 1);
  const end = found === -1 ? line.length : found;
  return [line.slice(at + 1, statusEnd), line.slice(statusEnd + 1, end).trimEnd(), end];
}

/** Up to 15 digits, so that the number is exact. */
function isDigits(text: string): boolean {
  if (text === "" || text.length > 15) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

/** Address, identity and user; a user's name may hold blanks. */
function setWho(fields: Record<string, unknown>, who: string): void {
  const addressEnd = who.indexOf(" ");
  const identEnd = addressEnd === -1 ? -1 : who.indexOf(" ", addressEnd + 1);
  setUnlessAbsent(fields, "remote_addr", addressEnd === -1 ? who : who.slice(0, addressEnd));
  if (identEnd === -1) return;
  setUnlessAbsent(fields, "ident", who.slice(addressEnd + 1, identEnd));
  setUnlessAbsent(fields, "remote_user", who.slice(identEnd + 1));
}

function setRequest(fields: Record<string, unknown>, request: string): void {
  const methodEnd = request.indexOf(" ");
  const protocolStart = request.lastIndexOf(" ");
  if (methodEnd <= 0 || protocolStart === methodEnd || protocolStart === request.length - 1) {
    setUnlessAbsent(fields, "request", request);
    return;
  }
  fields["method"] = request.slice(0, methodEnd);
  fields["path"] = request.slice(methodEnd + 1, protocolStart);
  fields["protocol"] = request.slice(protocolStart + 1);
}

function setTail(fields: Record<string, unknown>, line: string, from: number): void {
  let at = from;
  for (const name of ["referer", "user_agent"]) {
    const quoted = line[at] === " " && line[at + 1] === '"' ? readQuoted(line, at + 1) : undefined;
    if (quoted === undefined) break;
    setUnlessAbsent(fields, name, quoted.value);
    at = quoted.end;
  }
  setUnlessAbsent(fields, "extra", line.slice(at).trim());
}
