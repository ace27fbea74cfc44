import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";

/**
 * The maximum of one encoded message: nested messages, elements of lists, entries of maps and unknown fields together.
 * JSON may have as many keys, and as many elements of one array.
 */
export const maxValues = 1_000_000;

/** The maximum depth of the message reader. */
const maxDepth = 100;

const varint = 0;
const fixed64 = 1;
const delimited = 2;
const startGroup = 3;
const endGroup = 4;
const fixed32 = 5;

/**
 * Reports whether reading a message makes more than `max` values. It takes linear time and allocates no objects, so
 * that it can run before the message is read: two bytes may encode a value that takes a hundred in memory, and
 * compressed they are almost nothing. For bytes that are no message of this type the result has no meaning.
 */
export function holdsMoreValues(desc: DescMessage, bytes: Uint8Array, max: number): boolean {
  // An element of a packed list takes at least one byte, everything else two.
  if (bytes.length <= max) return false;
  return new Counter(bytes, max).count(desc, bytes.length, maxDepth) < 0;
}

class Counter {
  readonly #bytes: Uint8Array;
  #at = 0;
  #left: number;

  constructor(bytes: Uint8Array, max: number) {
    this.#bytes = bytes;
    this.#left = max;
  }

  /** Continues to `end` and returns the number of values that may still follow; negative if there are more. */
  count(desc: DescMessage | undefined, end: number, depth: number): number {
    const fields = desc === undefined ? noFields : fieldsOf(desc);
    while (this.#at < end && this.#left >= 0) {
      const tag = this.#readVarint();
      const field = fields.get(tag >>> 3);
      if (!isSingle(field)) this.#left--;
      this.#skip(tag & 7, field, end, depth);
    }
    return this.#left;
  }

  #skip(wireType: number, field: DescField | undefined, end: number, depth: number): void {
    if (wireType === varint) this.#readVarint();
    else if (wireType === fixed64) this.#at += 8;
    else if (wireType === fixed32) this.#at += 4;
    else if (wireType === delimited) this.#enter(field, end, depth);
    // Tags within a group are unknown fields, which count everywhere.
    else if (wireType !== startGroup && wireType !== endGroup) this.#at = end;
  }

  #enter(field: DescField | undefined, end: number, depth: number): void {
    const length = this.#readVarint();
    const inner = Math.min(this.#at + length, end);
    if (field?.fieldKind === "map") this.#enterEntry(field, inner, depth);
    else if (field?.message !== undefined && depth > 0) this.count(field.message, inner, depth - 1);
    else if (field?.fieldKind === "list") this.#countPacked(field.scalar, inner);
    this.#at = inner;
  }

  /** Counts key and value of an entry as one. */
  #enterEntry({ message }: DescField, end: number, depth: number): void {
    while (this.#at < end && this.#left >= 0) {
      const tag = this.#readVarint();
      if ((tag & 7) !== delimited || tag >>> 3 !== 2 || message === undefined || depth === 0) {
        if (tag >>> 3 > 2) this.#left--;
        this.#skip(tag & 7, undefined, end, depth);
        continue;
      }
      const length = this.#readVarint();
      const inner = Math.min(this.#at + length, end);
      this.count(message, inner, depth - 1);
      this.#at = inner;
    }
  }

  /** @param scalar undefined for an enum, whose elements are varints too */
  #countPacked(scalar: ScalarType | undefined, end: number): void {
    if (scalar === ScalarType.STRING || scalar === ScalarType.BYTES) return;
    const size = fixedSizes.get(scalar);
    if (size !== undefined) this.#left -= Math.floor((end - this.#at) / size);
    else for (; this.#at < end; this.#at++) if (this.#bytes[this.#at]! < 0x80) this.#left--;
  }

  #readVarint(): number {
    let value = 0;
    for (let shift = 0; shift < 70 && this.#at < this.#bytes.length; shift += 7) {
      const byte = this.#bytes[this.#at++]!;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value >>> 0;
  }
}

/** Reports whether the reader keeps only the last value of a field: a number or text costs no more than its bytes. */
function isSingle(field: DescField | undefined): boolean {
  return field?.fieldKind === "scalar" || field?.fieldKind === "enum";
}

const fixedSizes: ReadonlyMap<ScalarType | undefined, number> = new Map([
  [ScalarType.DOUBLE, 8],
  [ScalarType.FIXED64, 8],
  [ScalarType.SFIXED64, 8],
  [ScalarType.FLOAT, 4],
  [ScalarType.FIXED32, 4],
  [ScalarType.SFIXED32, 4],
]);
const noFields: ReadonlyMap<number, DescField> = new Map();
const known = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function fieldsOf(desc: DescMessage): ReadonlyMap<number, DescField> {
  let fields = known.get(desc);
  if (fields === undefined) {
    fields = new Map(desc.fields.map((field) => [field.number, field]));
    known.set(desc, fields);
  }
  return fields;
}
