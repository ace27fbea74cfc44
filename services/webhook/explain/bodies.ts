type Variant = readonly [cause: string, body: Uint8Array];

const bom = Buffer.from([0xef, 0xbb, 0xbf]);
const lf = 0x0a;

/** Yields the bodies that the sender may have signed instead of the received one, the likeliest first. */
export function* bodyVariants(body: Uint8Array): Generator<Variant> {
  if (body.at(-1) === lf) {
    yield ["signed without the newline at the end of the body", withoutLineEnd(body)];
  }
  yield ["signed with a newline after the body", Buffer.concat([body, Buffer.of(lf)])];
  yield ["signed with CR LF after the body", Buffer.concat([body, Buffer.from("\r\n")])];
  if (bom.equals(body.subarray(0, 3))) {
    yield ["signed without the byte order mark of the body", body.subarray(3)];
  }
  yield ["signed with a byte order mark before the body", Buffer.concat([bom, body])];
  yield ["signed an empty body", new Uint8Array(0)];
  yield* rewritten(body);
}

function withoutLineEnd(body: Uint8Array): Uint8Array {
  return body.subarray(0, body.at(-2) === 0x0d ? -2 : -1);
}

/** Yields the body parsed and written again, as a JSON library of the sender or of a proxy may have done. */
function* rewritten(body: Uint8Array): Generator<Variant> {
  const parsed = parse(Buffer.from(body).toString("utf8"));
  if (parsed === undefined) return;
  const { value, compact } = parsed;
  const spaced = writeSpaced(value);
  const cause = "signed before the body was written again";
  yield [`${cause} (compact JSON)`, Buffer.from(compact)];
  yield [`${cause} (spaces after commas and colons)`, Buffer.from(spaced)];
  yield [`${cause} (compact JSON, non-ASCII characters escaped)`, Buffer.from(escapeText(compact))];
  yield [
    `${cause} (spaces after commas and colons, non-ASCII characters escaped)`,
    Buffer.from(escapeText(spaced)),
  ];
  yield [`${cause} (indented by 2)`, Buffer.from(JSON.stringify(value, null, 2))];
  yield [`${cause} (indented by 4)`, Buffer.from(JSON.stringify(value, null, 4))];
  yield [`${cause} (slashes escaped)`, Buffer.from(compact.replaceAll("/", "\\/"))];
  yield [`${cause} (keys sorted)`, Buffer.from(JSON.stringify(sortKeys(value)))];
}

/** Parses the body; undefined if it is not JSON or nested too deeply to be written. */
function parse(text: string): { readonly value: unknown; readonly compact: string } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value, compact: JSON.stringify(value) };
  } catch {
    return undefined;
  }
}

/** Writes JSON as Python's `json.dumps`. Values deeper than those of any real batch are written compactly. */
function writeSpaced(value: unknown, depth = 0): string {
  if (typeof value !== "object" || value === null || depth > 32) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => writeSpaced(item, depth + 1)).join(", ")}]`;
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${writeSpaced(item, depth + 1)}`,
  );
  return `{${members.join(", ")}}`;
}

function escapeText(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function sortKeys(value: unknown, depth = 0): unknown {
  if (typeof value !== "object" || value === null || depth > 32) return value;
  if (Array.isArray(value)) return value.map((item) => sortKeys(item, depth + 1));
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sortKeys(item, depth + 1)]));
}
