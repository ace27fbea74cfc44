import { expect, test } from "vitest";
import { valueNumber, valueWord, valueWords } from "../../../base/protobuf/value-words.ts";
import { InputMethod, InputMethodSchema } from "../../../gen/engage/channel/v1/channel_pb.ts";

test("each value of an enum but the first has a word, which stands for it in any case", () => {
  const words = valueWords(InputMethodSchema);
  expect(words).toContain("dynamic_text");
  const numbers = words.map((word) => valueNumber(InputMethodSchema, word.toUpperCase()));
  expect(numbers.map((number) => valueWord(InputMethodSchema, number))).toEqual(words);
  expect(valueWord(InputMethodSchema, InputMethod.UNSPECIFIED)).toBeUndefined();
  expect(["unspecified", "text2", undefined].map((word) => valueNumber(InputMethodSchema, word))).toEqual([
    0, 0, 0,
  ]);
});
