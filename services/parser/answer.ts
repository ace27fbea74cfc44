import { compileJoin, EMPTY_ITEM } from "./join-records.ts";
import { CHUNK_CHARACTERS, createOutput } from "./output.ts";
import { compileFind, overlappingHeads } from "./separators.ts";

/** What an item was made from, should its records turn out not to fit into an answer. */
export interface ItemOrigin {
  readonly index: string | undefined;
  readonly line: string;
  readonly format: string | undefined;
}

/** Puts the items of an answer together so that splitting it gives exactly them back. */
export interface Answer {
  add(records: readonly string[], origin: ItemOrigin): void;
  addEmpty(): void;
  count(): number;
  /** `end` follows the last item. */
  finish(end: string): Uint8Array<ArrayBuffer>;
}

/** `separator` is undefined where an answer is a single item. */
export interface AnswerShape {
  readonly separator: string | undefined;
  readonly recordSeparator: string;
}

/** Told of items answered `{}` because a separator stands in their records where it can't be escaped. */
export type RefuseItem = (records: readonly string[], origin: ItemOrigin) => void;

export function compileAnswer(shape: AnswerShape): (expectedBytes: number, refuseItem: RefuseItem) => Answer {
  const { separator = "", recordSeparator } = shape;
  const join = compileJoin(shape.separator, recordSeparator);
  const isFaithful = compileIsFaithful(shape);
  return (expectedBytes, refuseItem) => {
    const output = createOutput(expectedBytes + (expectedBytes >> 1));
    let items: string[] = [];
    let origins: (ItemOrigin | undefined)[] = [];
    let characters = 0;
    let many: Map<number, readonly string[]> | undefined;
    let count = 0;

    function closeChunk(end: string): void {
      const text = items.join(separator) + end;
      output.add(many === undefined && isFaithful(text, items) ? text : rejoin().join(separator) + end);
      items = [];
      origins = [];
      characters = 0;
      many = undefined;
    }
    /** Item by item, escaping what has to be. */
    function rejoin(): string[] {
      return items.map((item, at) => {
        const origin = origins[at];
        if (origin === undefined) return item;
        const records = many?.get(at) ?? [item];
        const joined = join(records);
        if (joined === undefined) refuseItem(records, origin);
        return joined ?? EMPTY_ITEM;
      });
    }
    function push(item: string, origin: ItemOrigin | undefined): void {
      items.push(item);
      origins.push(origin);
      characters += item.length + separator.length;
      count++;
    }
    return {
      count: () => count,
      add(records, origin) {
        if (characters > CHUNK_CHARACTERS) closeChunk(separator);
        if (records.length === 1) {
          push(records[0]!, origin);
        } else if (records.length === 0) {
          push(EMPTY_ITEM, undefined);
        } else {
          many ??= new Map();
          many.set(items.length, records);
          push(records.join(recordSeparator), origin);
        }
      },
      addEmpty() {
        if (characters > CHUNK_CHARACTERS) closeChunk(separator);
        push(EMPTY_ITEM, undefined);
      },
      finish(end) {
        closeChunk(end);
        return output.finish();
      },
    };
  };
}

/**
 * Whether a chunk of joined items, one record each, is split at the ends of the items and nowhere else. Looking at
 * whole chunks spares making one flat text of each record, which V8 keeps as a tree while it is put together.
 */
function compileIsFaithful({ separator, recordSeparator }: AnswerShape) {
  const findRecordEnd = compileFind(recordSeparator);
  if (separator === undefined) {
    const joinsAlone = compileJoin(undefined, recordSeparator);
    return (text: string) => joinsAlone([text]) === text;
  }
  const find = compileFind(separator);
  const recordHeads = overlappingHeads(recordSeparator);
  return (text: string, items: readonly string[]) => {
    if (recordHeads.length > 0 || findRecordEnd(text, 0) >= 0) return false;
    let at = 0;
    for (const item of items) {
      const found = find(text, at);
      const end = at + item.length;
      if (found !== end && !(found < 0 && end === text.length)) return false;
      at = end + separator.length;
    }
    return true;
  };
}
