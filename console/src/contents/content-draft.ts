import { create } from "@bufbuild/protobuf";
import { type Channel, type ContentField, InputMethod } from "../../../gen/engage/channel/v1/channel_pb.ts";
import {
  type Content,
  ContentSchema,
  type ContentValue,
  ContentValueSchema,
} from "../../../gen/engage/channel/v1/task_pb.ts";

export type Cells = Readonly<Record<string, string>>;

/** The content in one language: a text, or rows, for each field of the channel that has a value. */
export interface ContentDraft {
  readonly language: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly rows: Readonly<Record<string, readonly Cells[]>>;
}

export const defaultContent: ContentDraft = { language: "default", texts: {}, rows: {} };

/** Returns the fields of a channel that have a name, each name once, as a form shows them. */
export function namedFields({ contentTemplate }: Pick<Channel, "contentTemplate">): readonly ContentField[] {
  return contentTemplate.filter(
    ({ name }, i) => name !== "" && contentTemplate.findIndex((one) => one.name === name) === i,
  );
}

/** A field may be named as a member that every object has, such as `constructor`. */
export function textOf(texts: ContentDraft["texts"], name: string): string {
  return Object.hasOwn(texts, name) ? (texts[name] ?? "") : "";
}

export function rowsOf(rows: ContentDraft["rows"], name: string): readonly Cells[] {
  return Object.hasOwn(rows, name) ? (rows[name] ?? []) : [];
}

/** Writes the values that were entered for the fields that the channel has now. */
export function contentOf(
  { language, texts, rows }: ContentDraft,
  channel: Pick<Channel, "contentTemplate">,
): Content {
  const values = namedFields(channel).flatMap(({ name, inputMethod }): [string, ContentValue][] => {
    const text = textOf(texts, name);
    const given = rowsOf(rows, name);
    if (inputMethod === InputMethod.ARRAY_ROW && given.length > 0) {
      const value = { rows: given.map((cells) => ({ cells: { ...cells } })) };
      return [[name, create(ContentValueSchema, { value: { case: "rows", value } })]];
    }
    if (inputMethod === InputMethod.ARRAY_ROW || text === "") return [];
    return [[name, create(ContentValueSchema, { value: { case: "text", value: text } })]];
  });
  return create(ContentSchema, { language: language.trim(), values: Object.fromEntries(values) });
}

/** Reads a content into the form. */
export function draftOfContent({ language, values }: Content): ContentDraft {
  const given = Object.entries(values);
  const texts = given.flatMap(([name, { value }]) =>
    value.case === "text" ? [[name, value.value] as const] : [],
  );
  const rows = given.flatMap(([name, { value }]) =>
    value.case === "rows" ? [[name, value.value.rows.map(({ cells }) => cells)] as const] : [],
  );
  return { language, texts: Object.fromEntries(texts), rows: Object.fromEntries(rows) };
}
