import type { Violation } from "../refusals.ts";

/** Keys of `params`, of `custom_params`, and of rows. */
const key = /^[A-Za-z_][A-Za-z0-9_]*$/;
const maxKeyLength = 100;

/** Properties of users: presets, members of objects, columns of dimensions and virtual properties too. */
const property = /^(#vp@)?#?[A-Za-z_]\w{0,49}([.@]#?\w{1,50}){0,3}$/;

const eventName = /^[A-Za-z][A-Za-z0-9_]{0,49}$/;

/** Control characters, half surrogate pairs, and what doesn't show. */
const unreadable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Undefined: it is fine. */
export type Problem = string | undefined;

export function checkKey(text: string): Problem {
  if (text === "") return "is required";
  if (text.length > maxKeyLength) return `has ${text.length} characters, at most ${maxKeyLength} are valid`;
  if (text === "__proto__") return `is "__proto__", which objects can't hold`;
  if (key.test(text)) return undefined;
  return `is ${JSON.stringify(text)}, valid are letters, digits and underscores, not a digit first`;
}

export function checkProperty(text: string): Problem {
  if (text === "") return "is required";
  if (property.test(text)) return undefined;
  return `is ${JSON.stringify(text)}, valid is the name of a user property such as "#account_id" or "level"`;
}

export function checkEventName(text: string): Problem {
  if (text === "") return "is empty";
  if (eventName.test(text)) return undefined;
  const valid = "a letter and up to 49 letters, digits and underscores";
  return `is ${JSON.stringify(text)}, valid are names of events: ${valid}`;
}

/** A name for people: 1 to `max` characters, counted as code points. */
export function checkDisplayName(text: string, max: number): Problem {
  if (text.trim() === "") return "is required";
  return checkLine(text, max);
}

/** A text on one line, which may be empty. */
export function checkLine(text: string, max: number): Problem {
  const length = [...text].length;
  if (length > max) return `has ${length} characters, at most ${max} are valid`;
  if (text !== text.trim()) return `is ${JSON.stringify(text)}, blanks at its ends are not valid`;
  return unreadable.test(text) ? "holds a control character, which is not valid" : undefined;
}

/** A text of several lines, which may be empty. */
export function checkText(text: string, max: number): Problem {
  const length = [...text].length;
  if (length > max) return `has ${length} characters, at most ${max} are valid`;
  return text.includes("\0") ? "holds a NUL character, which is not valid" : undefined;
}

export function violationOf(field: string, problem: Problem): readonly Violation[] {
  return problem === undefined ? [] : [{ field, problem }];
}

/** Says which of the values repeats one before it. @param keyOf what is the same in values that are taken for one */
export function checkRepeated(
  values: readonly string[],
  fieldOf: (index: number) => string,
  keyOf: (value: string) => string = (value) => value,
): readonly Violation[] {
  const firsts = new Map<string, string>();
  return values.flatMap((value, i) => {
    const first = firsts.get(keyOf(value));
    if (value === "" || first === undefined) {
      firsts.set(keyOf(value), value);
      return [];
    }
    const as = first === value ? "" : `, as ${JSON.stringify(first)}`;
    return [{ field: fieldOf(i), problem: `is ${JSON.stringify(value)}, which is there already${as}` }];
  });
}

export function checkCount(field: string, count: number, max: number): readonly Violation[] {
  return count <= max ? [] : [{ field, problem: `has ${count} entries, at most ${max} are valid` }];
}
