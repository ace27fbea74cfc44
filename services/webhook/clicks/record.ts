import { JsonCursor, readValue } from "../../../base/json/cursor.ts";
import { JsonFault } from "../../../base/json/fault.ts";
import { asBuffer } from "../../../base/json/utf8.ts";
import { refuseField } from "../../../base/rpc/invalid-fields.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { article } from "../receive/scan.ts";

/** A click. All is checked except its two JSON texts. */
export interface Click {
  readonly uuid: string;
  readonly eventName: string;
  readonly timeMs: number;
  readonly accountId: string;
  readonly distinctId: string;
  readonly appid: string | undefined;
  /** JSON texts in UTF-8. */
  readonly receipt: Uint8Array;
  readonly properties: Uint8Array | undefined;
}

const maxDepth = 64;
const receiptName = "#ops_receipt_properties";
/** Names that this service sets, or that belong to the root of a record. */
const reserved: ReadonlySet<string> = new Set([
  "#zone_offset",
  "#type",
  "#time",
  "#event_name",
  "#account_id",
  "#distinct_id",
  "#uuid",
  "#app_id",
]);

/**
 * Encodes a click as a standard record on one line, with its time in UTC. Copies the receipt and the properties byte
 * for byte, except that line ends between values become spaces.
 * @throws InvalidFieldsError
 */
export function encodeClick(click: Click): Uint8Array {
  const { uuid, eventName, timeMs, accountId, distinctId, appid } = click;
  const receipt = cutObject(receiptName, click.receipt);
  const inner = click.properties && membersOf(cutObject("properties", click.properties));
  const root = JSON.stringify({
    "#type": "track",
    "#time": new Date(timeMs).toISOString().replace("T", " ").replace("Z", ""),
    "#event_name": eventName,
    "#account_id": accountId || undefined,
    "#distinct_id": distinctId || undefined,
    "#uuid": uuid,
    "#app_id": appid,
  });
  const record = Buffer.concat([
    Buffer.from(`${root.slice(0, -1)},"properties":{"#zone_offset":0,"${receiptName}":`),
    receipt,
    ...(inner === undefined ? [] : [Buffer.from(","), inner]),
    Buffer.from("}}"),
  ]);
  return withoutLineEnds(record);
}

/** Returns the JSON object in the bytes, without whitespace around it. */
function cutObject(field: string, bytes: Uint8Array): Uint8Array {
  try {
    const { kind, start, end } = readValue(bytes, maxDepth);
    if (kind === "object") return bytes.subarray(start, end);
    if (kind === "string") {
      refuseField(
        field,
        "must be an object, found a string: the platform ignores strings, send the object itself",
      );
    }
    refuseField(field, `must be an object, found ${article(kind)}`);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    refuseField(field, `must be one JSON object: ${error.message}`);
  }
}

/** Checks the names of an object's members and returns the bytes between the braces; undefined if it is empty. */
function membersOf(object: Uint8Array): Uint8Array | undefined {
  const cursor = new JsonCursor(object, maxDepth);
  let count = 0;
  for (let more = cursor.firstKey(); more; more = cursor.nextKey(), count++) {
    checkName(cursor.key());
    cursor.value();
  }
  return count === 0 ? undefined : object.subarray(1, -1);
}

function checkName(name: string): void {
  if (name === receiptName) {
    refuseField("properties", `must not contain "${receiptName}", give it next to properties`);
  }
  if (reserved.has(name)) refuseField("properties", `must not contain "${name}", which the service sets`);
  if (!/^#?[A-Za-z][A-Za-z0-9_]{0,49}$/.test(name)) {
    const valid = "a letter and up to 49 letters, digits or underscores, or # before that";
    refuseField("properties", `has the name ${quoteText(name)}, valid is ${valid}`);
  }
}

/** Replaces line ends by spaces: in JSON they occur only between values. */
function withoutLineEnds(json: Uint8Array): Uint8Array {
  const bytes = asBuffer(json);
  if (!bytes.includes(0x0a) && !bytes.includes(0x0d)) return bytes;
  return bytes.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte));
}
