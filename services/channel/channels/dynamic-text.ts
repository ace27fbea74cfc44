import { quoteText } from "../../../base/text/quote.ts";
import { checkProperty } from "./names.ts";

/** A part of a dynamic text: a constant text or the value of a user property. */
export type TextPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "property"; readonly property: string };

/** A dynamic text is invalid. The message continues a sentence that begins with the field. */
export class DynamicTextError extends Error {
  override readonly name = "DynamicTextError";
}

/**
 * Parses a text with `{property}` references; `{{` and `}}` stand for braces.
 * @throws DynamicTextError
 */
export function parseDynamicText(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let plain = "";
  let at = 0;
  const flush = (): void => {
    if (plain !== "") parts.push({ kind: "text", text: plain });
    plain = "";
  };
  while (at < text.length) {
    const char = text[at]!;
    if ((char === "{" || char === "}") && text[at + 1] === char) {
      plain += char;
      at += 2;
    } else if (char === "{") {
      flush();
      const end = text.indexOf("}", at);
      parts.push({ kind: "property", property: readReference(text, at, end) });
      at = end + 1;
    } else if (char === "}") {
      throw new DynamicTextError(`has a "}" without a "{" at character ${at + 1}, write "}}" for a brace`);
    } else {
      plain += char;
      at += 1;
    }
  }
  flush();
  return parts;
}

function readReference(text: string, at: number, end: number): string {
  if (end === -1) {
    throw new DynamicTextError(`has a "{" without a "}" at character ${at + 1}, write "{{" for a brace`);
  }
  const property = text.slice(at + 1, end);
  if (checkProperty(property) === undefined) return property;
  throw new DynamicTextError(
    `refers to ${quoteText(property)} at character ${at + 1}, valid is the name of a user property such as "{level}"`,
  );
}
