import type { DescEnum } from "@bufbuild/protobuf";
import { wordOf } from "../../../base/protobuf/enum-words.ts";
import { comments } from "../../../gen/comments.ts";
import { withRestNames } from "./messages.ts";

/** A word of an enum in REST bodies, with its meaning. */
export interface Word {
  readonly word: string;
  readonly meaning: string;
}

/** Returns the words of an enum with the comments of its values. */
export function vocabularyOf(desc: DescEnum): readonly Word[] {
  return desc.values.flatMap(({ name, number }) => {
    const word = wordOf(desc, number);
    const comment = withRestNames(comments[`${desc.typeName}.${name}`] ?? "");
    // The comment begins with the word.
    return word === undefined ? [] : [{ word, meaning: comment.replace(/^REST: `[^`]+`\.\s*/, "") }];
  });
}

/** Returns the example of each word. @throws Error for a word without one, and for an example without a word */
export function examplesOf<T>(
  desc: DescEnum,
  examples: Readonly<Record<string, T>>,
): readonly (Word & { readonly example: T })[] {
  const words = vocabularyOf(desc);
  const unknown = Object.keys(examples).filter((name) => !words.some(({ word }) => word === name));
  if (unknown.length > 0) throw new Error(`${desc.typeName} has no word ${unknown.join(", ")}`);
  return words.map((word) => {
    const example = examples[word.word];
    if (example === undefined) throw new Error(`${desc.typeName}: the word ${word.word} needs an example`);
    return { ...word, example };
  });
}
