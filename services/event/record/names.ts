import { userIdNames } from "../../../base/record/user-ids.ts";

const maxNameLength = 50;
const hash = 35;
const underscore = 95;

function isLower(code: number): boolean {
  return code >= 97 && code <= 122;
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** `[A-Za-z][A-Za-z0-9_]{0,49}` */
export function isEventName(name: string): boolean {
  const { length } = name;
  if (length === 0 || length > maxNameLength) return false;
  const first = name.charCodeAt(0);
  if (!isLower(first) && !isUpper(first)) return false;
  for (let at = 1; at < length; at++) {
    const code = name.charCodeAt(at);
    if (!isLower(code) && !isUpper(code) && !isDigit(code) && code !== underscore) return false;
  }
  return true;
}

/**
 * The name that a property is kept by, in lower case; undefined when it is not
 * `[A-Za-z][A-Za-z0-9_]{0,49}` or, of a preset property, `#[a-z][a-z0-9_]{0,49}`.
 */
export function propertyNameOf(name: string): string | undefined {
  if (name.charCodeAt(0) !== hash) {
    if (!isEventName(name)) return undefined;
    return hasUpper(name) ? name.toLowerCase() : name;
  }
  const rest = name.slice(1);
  return isEventName(rest) && !hasUpper(rest) ? name : undefined;
}

function hasUpper(name: string): boolean {
  for (let at = 0; at < name.length; at++) {
    if (isUpper(name.charCodeAt(at))) return true;
  }
  return false;
}

/** Names of columns of all events or users, which properties must not have. */
const reserved: ReadonlySet<string> = new Set([
  "#type",
  "#time",
  "#event_name",
  "#event_time",
  ...userIdNames,
  "#uuid",
  "#event_id",
  "#first_check_id",
]);

export function isReserved(name: string): boolean {
  return reserved.has(name);
}
