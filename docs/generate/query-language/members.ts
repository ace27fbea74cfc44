import type { DescMessage } from "@bufbuild/protobuf";
import { comments } from "../../../gen/comments.ts";
import { code, table } from "../markdown.ts";
import { messages, withRestNames } from "./messages.ts";

/** What only other layers set; it is no member of the REST form. */
const hidden: ReadonlySet<string> = new Set(["ignored_fields"]);

/** Writes the part about the members of requests, from the comments of the messages. */
export function writeMembers(): string {
  const parts = messages.map(([title, desc]) => {
    const rows = desc.fields
      .filter(({ name }) => !hidden.has(name))
      .map(({ name, jsonName }) => [code(jsonName), meaningOf(desc, name)]);
    return `### ${title}\n\n${table(["Member", "Meaning"], rows)}`;
  });
  return [
    "## Members\n",
    "Unknown members are ignored, and listed in the warnings of the result.\n",
    ...parts,
  ].join("\n");
}

/** @throws Error for a field without a comment */
function meaningOf({ typeName }: DescMessage, name: string): string {
  const comment = comments[`${typeName}.${name}`];
  if (comment === undefined) throw new Error(`the field ${typeName}.${name} needs a comment`);
  return withRestNames(comment);
}
