import { create } from "@bufbuild/protobuf";
import { type Content, ContentSchema } from "../../gen/engage/channel/v1/task_pb.ts";
import { UsageError } from "../terminal/user-error.ts";

/** Splits `name=value` of an option. @throws UsageError without a name */
export function splitPair(option: string, pair: string, example: string): readonly [string, string] {
  const at = pair.indexOf("=");
  if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
  throw new UsageError(`${option} is ${JSON.stringify(pair)}, must be a pair such as "${example}"`);
}

/** Returns contents whose default content has these texts, each `field=text`. @throws UsageError */
export function withSetTexts(contents: Content[], set: readonly string[]): Content[] {
  const texts = set.map((pair) => {
    const [name, value] = splitPair("--set", pair, "title=Hello");
    return [name, { value: { case: "text", value } }] as const;
  });
  const given = Object.fromEntries(texts);
  const known = contents.find(({ language }) => language === "default");
  if (known === undefined)
    return [create(ContentSchema, { language: "default", values: given }), ...contents];
  return contents.map((content) =>
    content === known
      ? create(ContentSchema, { language: "default", values: { ...content.values, ...given } })
      : content,
  );
}
