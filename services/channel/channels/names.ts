import { limitsOf, patternOf } from "../../../base/protobuf/limits.ts";
import { eachViolation } from "../../../base/rpc/invalid-fields.ts";
import type { Violation } from "../../../base/rpc/violation.ts";
import type { Problem } from "../../../base/text/check-text.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { ContentFieldSchema } from "../../../gen/engage/channel/v1/channel_pb.ts";
import { TextFormat } from "../../../gen/engage/gateway/v1/limits_pb.ts";

/** Keys of `params`, `custom_params` and rows. */
const key = patternOf(TextFormat.KEY);
const { maxLength: maxKeyLength } = limitsOf(ContentFieldSchema.field.name);

/** User properties, including presets, members of objects, columns of dimensions and virtual properties. */
const property = patternOf(TextFormat.PROPERTY);

const eventName = patternOf(TextFormat.EVENT_NAME);

export function checkKey(text: string): Problem {
  if (text === "") return "is required";
  if (text.length > maxKeyLength) return `has ${text.length} characters, at most ${maxKeyLength} are valid`;
  if (text === "__proto__") return `is "__proto__", which is reserved`;
  if (key.test(text)) return undefined;
  return `is ${quoteText(text)}, valid are letters, digits and underscores, not a digit first`;
}

export function checkProperty(text: string): Problem {
  if (text === "") return "is required";
  if (property.test(text)) return undefined;
  return `is ${quoteText(text)}, valid is the name of a user property such as "#account_id" or "level"`;
}

export function checkEventName(text: string): Problem {
  if (text === "") return "is empty";
  if (eventName.test(text)) return undefined;
  const valid = "a letter and up to 49 letters, digits and underscores";
  return `is ${quoteText(text)}, valid are names of events: ${valid}`;
}

/**
 * Refuses what the service assigns to a new resource. An id or an etag in a request that creates one refers to an
 * existing resource, so that a copy would be created where a change is meant.
 */
export function checkUnassigned(given: Readonly<Record<string, string>>): readonly Violation[] {
  return Object.entries(given)
    .filter(([, value]) => value !== "")
    .map(([field, value]) => ({
      field,
      description: `is ${quoteText(value)}, which the service assigns: it must be empty here`,
    }));
}

export function violationOf(field: string, description: Problem): readonly Violation[] {
  return description === undefined ? [] : [{ field, description }];
}

/** Reports each value that repeats an earlier one. @param keyOf returns the part of a value that must be unique */
export function checkRepeated(
  values: readonly string[],
  fieldOf: (index: number) => string,
  keyOf: (value: string) => string = (value) => value,
): readonly Violation[] {
  const firsts = new Map<string, string>();
  return eachViolation(values, (value, i) => {
    const first = firsts.get(keyOf(value));
    if (value === "" || first === undefined) {
      firsts.set(keyOf(value), value);
      return [];
    }
    const as = first === value ? "" : ` of ${quoteText(first)}`;
    return [{ field: fieldOf(i), description: `is ${quoteText(value)}, which is a repeat${as}` }];
  });
}

/** Checks a list; its items are not checked if it is too long. */
export function checkList(
  field: string,
  { length }: readonly unknown[],
  max: number,
  check: () => readonly Violation[],
): readonly Violation[] {
  return length <= max
    ? check()
    : [{ field, description: `has ${length} entries, at most ${max} are valid` }];
}
