/** A value in Thrift's compact protocol: its type, and its bytes without the type. */
export interface ThriftValue {
  readonly type: number;
  readonly bytes: readonly number[];
}

const types = { i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const;
/** Lists with at least this many elements write their length after the header. */
const longList = 15;

export function varint(value: number): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
  return bytes;
}

/** @param value not negative */
export const i32 = (value: number): ThriftValue => ({ type: types.i32, bytes: varint(value * 2) });

/** @param value not negative */
export const i64 = (value: number): ThriftValue => ({ type: types.i64, bytes: varint(value * 2) });

export function binary(text: string): ThriftValue {
  const utf8 = Buffer.from(text);
  return { type: types.binary, bytes: [...varint(utf8.length), ...utf8] };
}

/** @param elements at least one, all of one type */
export function list(elements: readonly ThriftValue[]): ThriftValue {
  const { type } = elements[0]!;
  const header =
    elements.length < longList
      ? [elements.length * 16 + type]
      : [longList * 16 + type, ...varint(elements.length)];
  return { type: types.list, bytes: header.concat(elements.flatMap(({ bytes }) => bytes)) };
}

/** @param fields by number; each at most 15 after the previous one */
export function struct(fields: Readonly<Record<number, ThriftValue>>): ThriftValue {
  const bytes: number[] = [];
  let last = 0;
  for (const [key, field] of Object.entries(fields)) {
    const number = Number(key);
    bytes.push((number - last) * 16 + field.type);
    for (const byte of field.bytes) bytes.push(byte);
    last = number;
  }
  bytes.push(0);
  return { type: types.struct, bytes };
}
