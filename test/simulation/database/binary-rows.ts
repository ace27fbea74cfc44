const signature = Buffer.from("PGCOPY\n\xff\r\n\0", "latin1");
const end = Buffer.from([0xff, 0xff]);

/** Encodes rows as PostgreSQL copies them: whole numbers as `bigint`, bytes, and null. Returns a message for each. */
export function encodeRows(rows: readonly object[]): readonly Buffer[] {
  const header = Buffer.concat([signature, Buffer.alloc(8)]);
  const encoded = rows.map((row, at) => Buffer.concat([...(at === 0 ? [header] : []), encodeRow(row)]));
  return [...encoded, rows.length === 0 ? Buffer.concat([header, end]) : end];
}

function encodeRow(row: object): Buffer {
  const values = Object.values(row);
  const count = Buffer.alloc(2);
  count.writeInt16BE(values.length);
  return Buffer.concat([count, ...values.flatMap(encodeValue)]);
}

function encodeValue(value: unknown): readonly Uint8Array[] {
  if (value === null) return [Buffer.from([0xff, 0xff, 0xff, 0xff])];
  const bytes = value instanceof Uint8Array ? value : Buffer.alloc(8);
  if (!(value instanceof Uint8Array)) (bytes as Buffer).writeBigInt64BE(BigInt(value as number));
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length);
  return [length, bytes];
}
