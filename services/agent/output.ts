import { cutText } from "../../base/text/cut.ts";
import { sha256Hex } from "../../base/text/digest.ts";

/** The most characters of an output. Hosts refuse or cut what is longer. */
export const maxOutputLength = 20_000;

/** What stands around the items of an output: `has_more`, `cursor` and punctuation. */
const reservedLength = 1_500;

/** Where a list continues: a page of the service, and the items of it that were returned before. */
export interface Place {
  readonly token: string;
  readonly skip: number;
}

/** A list that may be longer than an output. */
export interface OutputList {
  /** The member that holds it. */
  readonly name: string;
  /** The items from `place` on. */
  readonly items: readonly unknown[];
  readonly place: Place;
  /** Token of the next page; empty on the last one. */
  readonly nextToken: string;
  /** What the cursor is valid for, see cursorMark. */
  readonly mark: string;
}

/** The result of a tool. */
export interface Output {
  /** Short members. */
  readonly head: Readonly<Record<string, unknown>>;
  readonly list?: OutputList;
}

/** Returns the mark of cursors which are valid for a tool with these arguments. */
export function cursorMark(tool: string, input: object): string {
  return sha256Hex(JSON.stringify([tool, { ...input, cursor: undefined }])).slice(0, 12);
}

/** Reads a cursor; undefined if it belongs to another tool or to other arguments. */
export function readCursor(cursor: string | undefined, mark: string): Place | undefined {
  if (cursor === undefined || cursor === "") return { token: "", skip: 0 };
  const [own, skip, ...token] = Buffer.from(cursor, "base64url").toString("utf8").split(" ");
  if (own !== mark || skip === undefined || !/^\d{1,9}$/.test(skip)) return undefined;
  return { token: token.join(" "), skip: Number(skip) };
}

function writeCursor({ token, skip }: Place, mark: string): string {
  return Buffer.from(`${mark} ${skip} ${token}`).toString("base64url");
}

/** Writes an output as JSON of at most `maxOutputLength` characters. Only whole items of its list are written. */
export function writeOutput({ head, list }: Output): string {
  const first = shortenToFit(head, maxOutputLength - (list === undefined ? 100 : maxOutputLength / 2));
  if (list === undefined) return first;
  const room = maxOutputLength - reservedLength - first.length;
  const { texts, isShortened } = takeFitting(list.items, room);
  const rest = restOf(list, texts.length);
  const members = [
    first.slice(1, -1),
    `${JSON.stringify(list.name)}:[${texts.join(",")}]`,
    `"has_more":${rest !== undefined}`,
    rest === undefined ? "" : `"cursor":${JSON.stringify(writeCursor(rest, list.mark))}`,
    isShortened ? '"shortened":true' : "",
  ];
  return `{${members.filter((member) => member !== "").join(",")}}`;
}

function restOf({ items, place, nextToken }: OutputList, taken: number): Place | undefined {
  if (taken < items.length) return { token: place.token, skip: place.skip + taken };
  return nextToken === "" ? undefined : { token: nextToken, skip: 0 };
}

/** Returns the texts of the first items that fit, of at least one if there is any. */
function takeFitting(items: readonly unknown[], room: number): { texts: string[]; isShortened: boolean } {
  const texts: string[] = [];
  let length = 0;
  let isShortened = false;
  for (const item of items) {
    let text = JSON.stringify(item);
    if (texts.length === 0 && text.length > room) {
      text = shortenToFit(item, room);
      isShortened = true;
    }
    length += text.length + 1;
    if (texts.length > 0 && length > room) break;
    texts.push(text);
  }
  return { texts, isShortened };
}

/** The texts and lists of a value that is too long are cut to the first of these lengths with which it fits. */
const shorterLengths: readonly (readonly [text: number, list: number])[] = [
  [2_000, 200],
  [500, 50],
  [100, 10],
  [20, 3],
];

/** Returns the JSON of a value; of a value that is too long with its texts and lists shortened. */
function shortenToFit(value: unknown, room: number): string {
  let text = JSON.stringify(value);
  for (const [maxText, maxList] of shorterLengths) {
    if (text.length <= room) return text;
    text = JSON.stringify(shortenIn(value, maxText, maxList));
  }
  return text.length <= room ? text : JSON.stringify({ shortened: cutText(text, Math.floor(room / 3)) });
}

function shortenIn(value: unknown, maxText: number, maxList: number): unknown {
  if (typeof value === "string") {
    return value.length <= maxText ? value : `${cutText(value, maxText)}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) {
    const kept = value.slice(0, maxList).map((item) => shortenIn(item, maxText, maxList));
    return value.length <= maxList ? kept : [...kept, `… (${value.length} items)`];
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shortenIn(member, maxText, maxList)]),
  );
}
