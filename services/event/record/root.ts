import { isShort, maxTextBytes } from "./convert.ts";

/** The values of the known keys of a record's root. */
export interface Root {
  type: unknown;
  time: unknown;
  eventName: unknown;
  accountId: unknown;
  distinctId: unknown;
  uuid: unknown;
  ip: unknown;
  appId: unknown;
  eventId: unknown;
  firstCheckId: unknown;
  properties: unknown;
  /** Unknown keys. */
  others: string[] | undefined;
}

export function readRoot(json: Readonly<Record<string, unknown>>): Root {
  const root: Root = {
    type: undefined,
    time: undefined,
    eventName: undefined,
    accountId: undefined,
    distinctId: undefined,
    uuid: undefined,
    ip: undefined,
    appId: undefined,
    eventId: undefined,
    firstCheckId: undefined,
    properties: undefined,
    others: undefined,
  };
  for (const key in json) readKey(root, key, json[key]);
  return root;
}

function readKey(root: Root, key: string, value: unknown): void {
  switch (key) {
    case "#type":
      root.type = value;
      return;
    case "#time":
      root.time = value;
      return;
    case "#event_name":
      root.eventName = value;
      return;
    case "#account_id":
      root.accountId = value;
      return;
    case "#distinct_id":
      root.distinctId = value;
      return;
    case "#uuid":
      root.uuid = value;
      return;
    case "#ip":
      root.ip = value;
      return;
    case "#app_id":
      root.appId = value;
      return;
    case "#event_id":
      root.eventId = value;
      return;
    case "#first_check_id":
      root.firstCheckId = value;
      return;
    case "properties":
      root.properties = value;
      return;
    default:
      root.others ??= [];
      root.others.push(key);
  }
}

/** Reads an id as text; undefined if there is none, null if it is not valid. */
export function readId(value: unknown): string | null | undefined {
  if (typeof value === "string") {
    if (value === "") return undefined;
    return isShort(value, maxTextBytes) ? value.toWellFormed() : null;
  }
  if (value === undefined || value === null) return undefined;
  // A rounded number is another id.
  return Number.isSafeInteger(value) ? String(value) : null;
}
