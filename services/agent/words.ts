import type { DescEnum } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";

/** Returns a value of an enum as a word, such as `object_group`; undefined where it is not set. */
export function enumWord(desc: DescEnum, number: number): string | undefined {
  return number === 0 ? undefined : desc.value[number]?.localName.toLowerCase();
}

/** Returns the words of an enum. */
export function enumWordsOf(desc: DescEnum): readonly [string, ...string[]] {
  const words = desc.values
    .filter(({ number }) => number !== 0)
    .map(({ localName }) => localName.toLowerCase());
  return words as [string, ...string[]];
}

/** Returns the number of a word; 0 for undefined. */
export function enumNumber(desc: DescEnum, word: string | undefined): number {
  return desc.values.find(({ localName }) => localName.toLowerCase() === word)?.number ?? 0;
}

/** Returns a time as ISO 8601. */
export function timeText(time: Timestamp | undefined): string | undefined {
  return time === undefined ? undefined : timestampDate(time).toISOString();
}
