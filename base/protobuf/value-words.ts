import type { DescEnum } from "@bufbuild/protobuf";

/** Returns a value of an enum as a word, such as `object_group`; undefined where it is not set. */
export function valueWord(desc: DescEnum, number: number): string | undefined {
  return number === 0 ? undefined : desc.value[number]?.localName.toLowerCase();
}

/** Returns the words of an enum's values. */
export function valueWords(desc: DescEnum): readonly [string, ...string[]] {
  const words = desc.values
    .filter(({ number }) => number !== 0)
    .map(({ localName }) => localName.toLowerCase());
  return words as [string, ...string[]];
}

/** Returns the number of a word in any case; 0 for undefined and for a word that no value has. */
export function valueNumber(desc: DescEnum, word: string | undefined): number {
  return desc.values.find(({ localName }) => localName.toLowerCase() === word?.toLowerCase())?.number ?? 0;
}
