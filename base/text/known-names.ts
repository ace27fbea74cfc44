import { nearestName } from "./nearest.ts";
import { quoteText } from "./quote.ts";

/** Most names that a message lists. */
const maxListed = 30;
/** Longer names, and further ones, are not compared. */
const maxCompared = { characters: 200, names: 5_000 };
/** Letters of known names that one call compares, after which it finds no nearest name. */
const maxLetters = 200_000;

type WriteName = (name: string) => string;

/** Bounds how long one call looks for nearest names, however many of its names are not known. */
export interface HintBudget {
  /** Letters of known names that are still compared. The last comparison may exceed it. */
  letters: number;
}

export const createHintBudget = (): HintBudget => ({ letters: maxLetters });

/** How a message names what exists. */
export interface NameStyle {
  /** Writes a name. Default: in quotes. */
  readonly write?: WriteName | undefined;
  /** What the message says where nothing exists. */
  readonly none?: string | undefined;
  /** What the message says where no name is near. Default: the list of the names. */
  readonly all?: string | undefined;
  /** Shared by the messages of a call that can have many, about names that can be many. */
  readonly budget?: HintBudget | undefined;
}

/** Writes a name without quotes, such as a number or a path. */
export const bare: WriteName = (name) => name;

/** Lists names, to follow a message that one is missing or not known: `valid are "a", "b" and 3 more`. */
export function listKnown(
  known: readonly string[],
  { write = quoteText, none = "there are none" }: NameStyle = {},
): string {
  if (known.length === 0) return none;
  const more = known.length > maxListed ? ` and ${known.length - maxListed} more` : "";
  return `valid are ${known.slice(0, maxListed).map(write).join(", ")}${more}`;
}

/**
 * Says what exists, to follow a message that a name is not known: the nearest name, and all names if they are few, such
 * as `the nearest is "login", valid are "login", "pay"`. A message names only what its reader can list.
 */
export function knownNames(name: string, known: readonly string[], style: NameStyle = {}): string {
  const all = style.all ?? listKnown(known, style);
  const nearest = known.length < 2 ? undefined : findNearest(name, known, style);
  if (nearest === undefined) return all;
  return style.all !== undefined || known.length > maxListed ? nearest : `${nearest}, ${all}`;
}

/** Names the nearest name, to end a message: `, the nearest is "login"`. Empty if none is near. */
export function hintNearest(name: string, known: readonly string[], write?: WriteName): string {
  const nearest = findNearest(name, known, { write });
  return nearest === undefined ? "" : `, ${nearest}`;
}

function findNearest(
  name: string,
  known: readonly string[],
  { write = quoteText, budget = createHintBudget() }: NameStyle,
): string | undefined {
  if (name.length > maxCompared.characters || budget.letters <= 0) return undefined;
  const compared = known.slice(0, maxCompared.names);
  for (const { length } of compared) budget.letters -= length;
  const near = nearestName(name, compared);
  return near === undefined ? undefined : `the nearest is ${write(near)}`;
}
