import { type DescEnum, getOption } from "@bufbuild/protobuf";
import { json_word } from "../../gen/engage/gateway/v1/options_pb.ts";

/** Returns the words of an enum's values in REST bodies, in their order; unset values have none. */
export function wordsOf(desc: DescEnum): readonly string[] {
  return desc.values.map((value) => getOption(value, json_word)).filter((word) => word !== "");
}

/** Returns undefined for a number without a word. */
export function wordOf(desc: DescEnum, number: number): string | undefined {
  const value = desc.value[number];
  return (value && getOption(value, json_word)) || undefined;
}

/** Returns undefined for a word that no value of the enum has. */
export function numberOf(desc: DescEnum, word: string): number | undefined {
  return desc.values.find((value) => word !== "" && getOption(value, json_word) === word)?.number;
}
