import { isIP } from "node:net";
import { quoteText } from "../../../base/text/quote.ts";
import { Refusal, refuse } from "../line/line.ts";
import type { Fields } from "../mapping/fields.ts";
import { compileTimePattern } from "../mapping/time/pattern.ts";
import type { FieldReader, ReadLine } from "./field-reader.ts";
import { readStructuredData } from "./structured-data.ts";
import { setPresent } from "./tokens.ts";

const facilities =
  "kern user mail daemon auth syslog lpr news uucp cron authpriv ftp ntp audit alert clock local0 local1 local2 local3 local4 local5 local6 local7".split(
    " ",
  );
const severities = "emerg alert crit err warning notice info debug".split(" ");

const knownFields = [
  "facility",
  "severity",
  "timestamp",
  "hostname",
  "app_name",
  "procid",
  "msgid",
  "structured_data",
  "message",
];

/**
 * Reads syslog: RFC 5424, RFC 3164 and the traditional file formats (no PRI; time as `Sep  4 16:46:06` or ISO 8601).
 * Facility and severity are names; `-` means "no value"; structured_data is an object by id.
 */
export function createSyslogReader(): FieldReader {
  return { read: readSyslog, knownFields };
}

type Mutable = Record<string, unknown>;

const readSyslog: ReadLine = (line) => {
  const fields: Mutable = {};
  const at = readPriority(line, fields);
  if (at === -1) return refuse("no_match", `${quoteText(line)} has a bad PRI, want <0> to <191>`);
  const result = isVersioned(line, at) ? read5424(line, at + 2, fields) : read3164(line, at, fields);
  return result instanceof Refusal ? result : [result];
};

/** Returns the position after `<PRI>`, 0 when there is none, −1 when it is invalid. */
function readPriority(line: string, fields: Mutable): number {
  if (line[0] !== "<") return 0;
  const end = line.indexOf(">");
  if (end < 2 || end > 4) return -1;
  const digits = line.slice(1, end);
  const priority = Number(digits);
  if (!/^\d+$/.test(digits) || priority > 191) return -1;
  fields["facility"] = facilities[priority >> 3];
  fields["severity"] = severities[priority & 7];
  return end + 1;
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= "0" && char <= "9";
}

/** Reports whether version 1 and a time of RFC 5424 or `-` follow. */
function isVersioned(line: string, at: number): boolean {
  return line.startsWith("1 ", at) && (line.startsWith("- ", at + 2) || isIsoTime(line, at + 2));
}

function isIsoTime(line: string, at: number): boolean {
  return isDigit(line[at]) && line[at + 4] === "-" && line[at + 7] === "-" && line[at + 10] === "T";
}

function read5424(line: string, from: number, fields: Mutable): Fields | Refusal {
  let at = from;
  for (const name of ["timestamp", "hostname", "app_name", "procid", "msgid"]) {
    const end = line.indexOf(" ", at);
    if (end === -1) return refuse("no_match", `${quoteText(line)} ends before its ${name}`);
    setPresent(fields, name, line.slice(at, end));
    at = end + 1;
  }
  const data = readStructuredData(line, at);
  if (data === undefined)
    return refuse("no_match", `${quoteText(line)} has bad structured data at position ${at + 1}`);
  if (data.value !== undefined) fields["structured_data"] = data.value;
  setMessage(fields, line.slice(data.end + 1));
  return fields;
}

const byteOrderMark = "\uFEFF";

function setMessage(fields: Mutable, text: string): void {
  fields["message"] = text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

const readOldTime = compileTimePattern("MMM d HH:mm:ss");
/** Length with a day of two characters, and of devices that write no space before a single digit. */
const oldTimeLengths = [15, 14];

function read3164(line: string, from: number, fields: Mutable): Fields | Refusal {
  const time = isIsoTime(line, from) ? wordAt(line, from) : oldTimeAt(line, from);
  const hostStart = from + (time?.length ?? 0) + 1;
  if (time === undefined || line[hostStart - 1] !== " ") {
    return refuse("no_match", `${quoteText(line)} does not start with a syslog time`);
  }
  fields["timestamp"] = time;
  const host = wordAt(line, hostStart);
  // Programs that write to a local socket give no host.
  if (isTag(host)) {
    setTaggedMessage(fields, line.slice(hostStart));
    return fields;
  }
  // Network devices write a colon after their address.
  setPresent(fields, "hostname", host.endsWith(":") && isIP(host) === 0 ? host.slice(0, -1) : host);
  setTaggedMessage(fields, line.slice(hostStart + host.length + 1));
  return fields;
}

/**
 * Reports whether a word is `app:`, `app[123]:` or `app[123]`, with or without text right after it, and not an address
 * such as `2001:db8::`.
 */
function isTag(word: string): boolean {
  if (tagWithId.test(word)) return true;
  return word.length > 1 && word.endsWith(":") && isIP(word) === 0 && isIP(word.slice(0, -1)) === 0;
}

function setTaggedMessage(fields: Mutable, text: string): void {
  setMessage(fields, text.slice(setTag(fields, text)));
}

function oldTimeAt(line: string, from: number): string | undefined {
  if (typeof readOldTime === "string") return undefined;
  return oldTimeLengths
    .map((length) => line.slice(from, from + length))
    .find((text) => readOldTime(text) !== undefined);
}

function wordAt(line: string, from: number): string {
  const end = line.indexOf(" ", from);
  return line.slice(from, end === -1 ? line.length : end);
}

/** Matches `name[id]:`, also without a space after it, and `name[id]`. */
const tagWithId = /^([^[\]]+)\[([^[\]]*)\](?::|$)/;

/** Sets the tag `name:` or `name[id]:` when the text starts with one; returns the position of the message. */
function setTag(fields: Mutable, text: string): number {
  const word = wordAt(text, 0);
  const [tag, name, id] = tagWithId.exec(word) ?? [];
  if (tag !== undefined) setPresent(fields, "procid", id!);
  else if (word.length < 2 || !word.endsWith(":")) return 0;
  setPresent(fields, "app_name", name ?? word.slice(0, -1));
  const end = tag?.length ?? word.length;
  return text[end] === " " ? end + 1 : end;
}
