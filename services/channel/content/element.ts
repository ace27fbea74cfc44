import { type Channel, type ContentField, InputMethod } from "../../../gen/engage/channel/v1/channel_pb.ts";
import type { Content } from "../../../gen/engage/channel/v1/task_pb.ts";
import { parseDynamicText } from "../channels/dynamic-text.ts";

/** A place for the value of a user property. */
export interface Slot {
  /** The index in the element's properties. */
  readonly property: number;
  /** Escaped text for users without a value. */
  readonly fallback: string;
}

/** A compiled content of a channel, which writes the message of each user. */
export interface Element {
  /** Names of the user properties that it uses, in lower case, each once. */
  readonly properties: readonly string[];
  /**
   * The JSON around the values of a message, in their order: before the first value, between two, after the last. The
   * receipts and a brace follow.
   */
  readonly parts: readonly string[];
  /** The values after the push id, which is the first. */
  readonly slots: readonly Slot[];
  /**
   * Writes a message as JSON.
   * @param texts values of `properties`, in their order; empty: no value
   * @param receipts `#ops_receipt_properties`, as JSON
   */
  write(pushId: string, texts: readonly string[], receipts: string): string;
}

/** Matches texts that need no escapes. Most texts do not, and the test costs a third of writing them as JSON. */
const isPlain = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** Writes a JSON string without its quotes. */
export function escapeText(text: string): string {
  if (isPlain.test(text)) return text;
  return JSON.stringify(text.toWellFormed()).slice(1, -1);
}

type Piece = string | { readonly property: string; readonly fallback: string };

/** Compiles a content. @param content checked against the channel */
export function compileElement(channel: Channel, content: Content): Element {
  const pieces: Piece[] = ['","params":', ...paramsOf(channel.contentTemplate, content)];
  pieces.push(',"custom_params":', ...customOf(channel), ',"#ops_receipt_properties":');
  const properties: string[] = [];
  const slots: Slot[] = [];
  const parts = ['{"push_id":"', ""];
  for (const piece of pieces) {
    if (typeof piece === "string") {
      parts[parts.length - 1] += piece;
      continue;
    }
    const known = properties.indexOf(piece.property);
    const property = known === -1 ? properties.push(piece.property) - 1 : known;
    slots.push({ property, fallback: piece.fallback });
    parts.push("");
  }
  return {
    properties,
    parts,
    slots,
    write(pushId, texts, receipts) {
      const values = slots.map(({ property, fallback }) => {
        const text = texts[property]!;
        return text === "" ? fallback : escapeText(text);
      });
      const written = [escapeText(pushId), ...values].map((value, i) => parts[i]! + value);
      return `${written.join("")}${parts.at(-1)}${receipts}}`;
    },
  };
}

function paramsOf(fields: readonly ContentField[], { values }: Content): readonly Piece[] {
  return membersOf(
    fields.map((field): [string, readonly Piece[]] => {
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
      const pieces = parseDynamicText(text).map(
        (part): Piece =>
          part.kind === "text"
            ? escapeText(part.text)
            : { property: part.property.toLowerCase(), fallback: "" },
      );
      return [field.name, ['"', ...pieces, '"']];
    }),
  );
}

/** Reads an own member: fields and columns may have names of inherited members, such as `constructor`. */
function ownOf<T>(members: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function customOf({ customParameters }: Channel): readonly Piece[] {
  return membersOf(
    customParameters.map(({ name, property, defaultValue }): [string, readonly Piece[]] => [
      name,
      ['"', { property: property.toLowerCase(), fallback: escapeText(defaultValue) }, '"'],
    ]),
  );
}

function membersOf(members: readonly (readonly [string, readonly Piece[]])[]): readonly Piece[] {
  const pieces = members.flatMap(([name, value], i): Piece[] => [
    `${i === 0 ? "" : ","}${JSON.stringify(name)}:`,
    ...value,
  ]);
  return ["{", ...pieces, "}"];
}
