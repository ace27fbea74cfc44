import { isIP } from "node:net";
import { isRecordType, recordTypes } from "../../../base/record/record-type.ts";
import { knownNames, listKnown } from "../../../base/text/known-names.ts";
import { quoteText } from "../../../base/text/quote.ts";
import type { EntryConfig } from "../mapping/config.ts";
import { splitTemplate } from "../mapping/template.ts";
import { isName, nameRule } from "./names.ts";

type Add = (message: string) => void;

/** Checks the source of an entry for templates that are field names or give invalid names. */
export function checkSource(target: string, { from, template }: EntryConfig, add: Add): void {
  if (from !== undefined && /\{[^{}]+\}/.test(from))
    add(`from takes the name of a field, but ${quoteText(from)} is a template: write { template: … }`);
  if (target !== "#event_name" || template === undefined) return;
  const pieces = splitTemplate(template);
  if (typeof pieces === "string") return;
  const fixed = pieces.map((piece) => (typeof piece === "string" ? piece : ""));
  if (!/^\w*$/.test(fixed.join("")) || /^[0-9_]/.test(fixed[0]!))
    add(`${quoteText(template)} does not give valid event names: ${nameRule}`);
}

/** Checks whether a constant is valid for its target. */
export function checkConstant(target: string, value: unknown, add: Add): void {
  const check = Object.hasOwn(checks, target) ? checks[target] : undefined;
  const message =
    value === null ? "a constant null writes nothing: remove the entry" : check?.(value, target);
  if (message !== undefined) add(message);
  else if (typeof value === "string" && /\{[A-Za-z_#][\w.#]*\}/.test(value))
    add(
      `a constant is written unchanged, with its braces: for a template write ${quoteText(value)} without value`,
    );
}

type Check = (value: unknown, target: string) => string | undefined;

const shown = (value: unknown): string =>
  typeof value === "string" ? quoteText(value) : quoteText(JSON.stringify(value));

const checkType: Check = (value) => {
  if (typeof value === "string" && isRecordType(value)) return undefined;
  const valid = typeof value === "string" ? knownNames(value, recordTypes) : listKnown(recordTypes);
  return `${shown(value)} is not a record type, ${valid}`;
};

const checkEventName: Check = (value) =>
  typeof value === "string" && isName(value)
    ? undefined
    : `${shown(value)} is not a valid event name: ${nameRule}`;

const checkText: Check = (value, target) =>
  (typeof value === "string" && value !== "") || typeof value === "number"
    ? undefined
    : `${shown(value)} is not a text, as ${target} requires`;

const checkUuid: Check = () =>
  "with one #uuid for all lines, all but the first record are duplicates: map a field, or remove it";

const checkIp: Check = (value) =>
  typeof value === "string" && isIP(value) !== 0 ? undefined : `${shown(value)} is not an IP address`;

const checkTime: Check = (value) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,3})?$/.test(value)
    ? undefined
    : `${shown(value)} is not a time such as "2026-01-31 12:00:00.000"`;

const checkOffset: Check = (value) =>
  typeof value === "number" && value >= -12 && value <= 14
    ? undefined
    : `${shown(value)} is not a number of hours east of UTC, from -12 to 14`;

const checks: Readonly<Record<string, Check>> = {
  "#type": checkType,
  "#event_name": checkEventName,
  "#account_id": checkText,
  "#distinct_id": checkText,
  "#app_id": checkText,
  "#event_id": checkText,
  "#first_check_id": checkText,
  "#uuid": checkUuid,
  "#ip": checkIp,
  "#time": checkTime,
  "#zone_offset": checkOffset,
};
