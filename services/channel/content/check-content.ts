import { eachViolation, under } from "../../../base/rpc/invalid-fields.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import { knownNames } from "../../../base/text/known-names.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { type Channel, type ContentField, InputMethod } from "../../../gen/engage/channel/v1/channel_pb.ts";
import type { Content, ContentValue } from "../../../gen/engage/channel/v1/task_pb.ts";
import { checkRows, checkValue } from "../channels/input-methods.ts";
import { violationOf } from "../channels/names.ts";

/** The language of the content for all users whose language has no content of its own. */
export const defaultLanguage = "default";

/** Checks the values of a content, in any language. Fields are relative to the content, such as `values["title"]`. */
export function checkContent(
  { contentTemplate }: Pick<Channel, "contentTemplate">,
  { values }: Pick<Content, "values">,
): readonly Violation[] {
  const fields = new Map(contentTemplate.map((field) => [field.name, field]));
  const given = new Map(Object.entries(values));
  const names = [...fields.keys()];
  const none = "the template of the channel has none";
  const wrong = eachViolation([...given], ([name, value]) => {
    const field = fields.get(name);
    if (field !== undefined) return checkGiven(field, value);
    const problem = `is not a field of the channel, ${knownNames(name, names, { none })}`;
    return [{ field: placeOf(name), description: problem }];
  });
  const missing = contentTemplate
    .filter((field) => field.required && isMissing(field, given.get(field.name)))
    .map(({ name }) => ({ field: placeOf(name), description: "is required" }));
  return [...wrong, ...missing];
}

/** Reports whether a required value is missing. Spaces alone are invisible to a user and so do not count as a value. */
function isMissing({ defaultValue, defaultRows }: ContentField, given: ContentValue | undefined): boolean {
  if (isEmpty(given)) return defaultValue.trim() === "" && !defaultRows?.rows.length;
  return isBlank(given);
}

function checkGiven(field: ContentField, { value }: ContentValue): readonly Violation[] {
  const place = placeOf(field.name);
  const isArray = field.inputMethod === InputMethod.ARRAY_ROW;
  switch (value.case) {
    case "rows":
      if (!isArray) return [{ field: place, description: "is rows, valid is a text" }];
      return under(`${place}.rows`, checkRows(field, value.value));
    case "text":
      if (isArray) return [{ field: place, description: "is a text, valid are rows" }];
      if (value.value === "" || (field.required && isBlank({ value }))) return [];
      return violationOf(place, checkValue(field, value.value));
    case undefined:
      return [];
  }
}

function isEmpty(given: ContentValue | undefined): boolean {
  const value = given?.value;
  if (value?.case === undefined) return true;
  return value.case === "rows" ? value.value.rows.length === 0 : value.value === "";
}

function isBlank(given: Pick<ContentValue, "value"> | undefined): boolean {
  return given?.value.case === "text" && given.value.value.trim() === "";
}

function placeOf(name: string): string {
  return `values[${quoteText(name)}]`;
}
