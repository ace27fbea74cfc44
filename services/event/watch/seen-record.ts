import { isJsonObject } from "../../../base/json/raw-numbers.ts";
import { cutText } from "../../../base/text/cut.ts";
import { stringifyAnyJson } from "../exact-json.ts";
import type { DroppedProperty, RefusalReason } from "../record/record.ts";

export const verdicts = ["accepted", "dropped", "refused", "repeated"] as const;

export type Verdict = (typeof verdicts)[number];

/** A record as a watch shows it; plain data, so that a thread can send it. */
export interface SeenRecord {
  readonly projectId: number;
  readonly receivedMs: number;
  readonly appid: string;
  readonly type: string;
  readonly eventName: string;
  readonly verdict: Verdict;
  readonly shown: ShownJson;
  /** The first dropped properties. */
  readonly dropped: readonly DroppedProperty[];
  readonly refused?: SeenRefusal;
  readonly repeatedId?: string;
}

export interface SeenRefusal {
  /** `internal` is a fault of the service. */
  readonly reason: RefusalReason | "internal";
  readonly field: string;
  readonly message: string;
}

/** JSON with long values cut. */
export interface ShownJson {
  readonly json: string;
  readonly cut: readonly string[];
  readonly omittedMembers: number;
}

/** A record before it is shown. */
export interface RecordSource {
  readonly projectId: number;
  readonly receivedMs: number;
  readonly appid: string | undefined;
  /** The parsed record, or the text of one that cannot be parsed. */
  readonly record: unknown;
}

export type RecordOutcome =
  | { readonly verdict: "accepted" | "dropped"; readonly dropped: readonly DroppedProperty[] }
  | { readonly verdict: "refused"; readonly refused: SeenRefusal }
  | { readonly verdict: "repeated"; readonly repeatedId: string };

/** What filters look at. */
export interface RecordHead {
  readonly type: string;
  readonly eventName: string;
  readonly appid: string;
}

export function headOf({ record, appid }: RecordSource): RecordHead {
  if (!isJsonObject(record)) return { type: "", eventName: "", appid: appid ?? "" };
  const { "#type": type, "#event_name": name, "#app_id": own } = record;
  return { type: shortText(type), eventName: shortText(name), appid: shortText(appid ?? own) };
}

const maxNameLength = 256;

function shortText(value: unknown): string {
  return typeof value === "string" ? value.slice(0, maxNameLength) : "";
}

const maxDropped = 20;

export function seeRecord(source: RecordSource, head: RecordHead, outcome: RecordOutcome): SeenRecord {
  const { projectId, receivedMs, record } = source;
  return {
    projectId,
    receivedMs,
    ...head,
    verdict: outcome.verdict,
    shown: showJson(record),
    dropped: "dropped" in outcome ? outcome.dropped.slice(0, maxDropped) : [],
    ...("refused" in outcome && { refused: outcome.refused }),
    ...("repeatedId" in outcome && { repeatedId: outcome.repeatedId }),
  };
}

/** Characters of a value; longer ones are cut to half of them. */
export const maxValueLength = 512;
/** Characters of a record. */
export const maxRecordLength = 8_192;

/** Writes a record as JSON, in which long values of the root and of the properties are cut. */
export function showJson(record: unknown): ShownJson {
  const cut: string[] = [];
  let room = maxRecordLength;
  let omittedMembers = 0;
  const showValue = (value: unknown, path: string): string => {
    const text = stringifyAnyJson(value);
    if (text.length <= maxValueLength) return text;
    cut.push(path);
    return JSON.stringify(shortenValue(typeof value === "string" ? value : text));
  };
  const showMembers = (object: object, prefix: string): string => {
    const members: string[] = [];
    for (const [name, value] of Object.entries(object)) {
      if (room <= 0) {
        omittedMembers++;
        continue;
      }
      const path = `${prefix}${name}`;
      const isNested = path === "properties" && isJsonObject(value);
      const text = isNested ? showMembers(value, "properties.") : showValue(value, shortenValue(path));
      const member = `${JSON.stringify(name.length > maxValueLength ? shortenValue(name) : name)}:${text}`;
      if (!isNested) room -= member.length;
      members.push(member);
    }
    return `{${members.join(",")}}`;
  };
  const json = isJsonObject(record) ? showMembers(record, "") : showValue(record, "");
  return { json, cut, omittedMembers };
}

function shortenValue(text: string): string {
  return text.length <= maxValueLength / 2 ? text : `${cutText(text, maxValueLength / 2)}…`;
}
