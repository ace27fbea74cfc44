import { type Channel, type ContentField, InputMethod } from "../../../gen/engage/channel/v1/channel_pb.ts";
import type { Content } from "../../../gen/engage/channel/v1/task_pb.ts";
import { parseDynamicText } from "../channels/dynamic-text.ts";

/** One content of one channel, ready to be written for any number of users. */
export interface Element {
  /** User properties that it takes, lower case, each once. */
  readonly properties: readonly string[];
  /**
   * One message as JSON.
   * @param texts of `properties`, in their order; empty: no value
   * @param receipts `#ops_receipt_properties`, as JSON
   */
  write(pushId: string, texts: readonly string[], receipts: string): string;
}

/** Nothing in it has to be escaped; most texts are so, and looking costs a third of writing them as JSON. */
const isPlain = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** A text within JSON, without its quotes. */
export function escapeText(text: string): string {
  if (isPlain.test(text)) return text;
  return JSON.stringify(text.toWellFormed()).slice(1, -1);
}

/** A user's value goes behind constant JSON. */
interface Slot {
  readonly property: number;
  /** Escaped; for users without a value. */
  readonly fallback: string;
  readonly behind: string;
}

type Part = string | { readonly property: string; readonly fallback: string };

/** @param content checked against the channel */
export function compileElement(channel: Channel, content: Content): Element {
  const parts: Part[] = [',"params":', ...paramsOf(channel.contentTemplate, content)];
  parts.push(',"custom_params":', ...customOf(channel), ',"#ops_receipt_properties":');
  const properties: string[] = [];
  const slots: Slot[] = [];
  let head = "";
  for (const part of parts) {
    if (typeof part !== "string") {
      const known = properties.indexOf(part.property);
      const property = known === -1 ? properties.push(part.property) - 1 : known;
      slots.push({ property, fallback: part.fallback, behind: "" });
      continue;
    }
    const last = slots.at(-1);
    if (last === undefined) head += part;
    else slots[slots.length - 1] = { ...last, behind: last.behind + part };
  }
  return {
    properties,
    write(pushId, texts, receipts) {
      let text = `{"push_id":"${escapeText(pushId)}"${head}`;
      for (const { property, fallback, behind } of slots) {
        const value = texts[property]!;
        text += (value === "" ? fallback : escapeText(value)) + behind;
      }
      return `${text}${receipts}}`;
    },
  };
}

function paramsOf(fields: readonly ContentField[], { values }: Content): readonly Part[] {
  return membersOf(
    fields.map((field): [string, readonly Part[]] => {
      const value = ownOf(values, field.name)?.value;
      if (field.inputMethod === InputMethod.ARRAY_ROW) {
        const rows = value?.case === "rows" ? value.value.rows : [];
        const taken = rows.length > 0 ? rows : (field.defaultRows?.rows ?? []);
        const texts = taken.map(({ cells }) =>
          Object.fromEntries(field.columns.map((name) => [name, (ownOf(cells, name) ?? "").toWellFormed()])),
        );
        return [field.name, [JSON.stringify(texts)]];
      }
      const text = (value?.case === "text" ? value.value : "") || field.defaultValue;
      if (field.inputMethod !== InputMethod.DYNAMIC_TEXT) return [field.name, [`"${escapeText(text)}"`]];
      const parts = parseDynamicText(text).map(
        (part): Part =>
          part.kind === "text"
            ? escapeText(part.text)
            : { property: part.property.toLowerCase(), fallback: "" },
      );
      return [field.name, ['"', ...parts, '"']];
    }),
  );
}

/** A field or a column may have the name of what every object has, such as `constructor`. */
function ownOf<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function customOf({ customParameters }: Channel): readonly Part[] {
  return membersOf(
    customParameters.map(({ name, property, defaultValue }): [string, readonly Part[]] => [
      name,
      ['"', { property: property.toLowerCase(), fallback: escapeText(defaultValue) }, '"'],
    ]),
  );
}

function membersOf(members: readonly (readonly [string, readonly Part[]])[]): readonly Part[] {
  const parts = members.flatMap(([name, value], i): Part[] => [
    `${i === 0 ? "" : ","}${JSON.stringify(name)}:`,
    ...value,
  ]);
  return ["{", ...parts, "}"];
}
