import { UserError } from "../terminal/user-error.ts";

/** The parts of a result in the platform's form that are shown. */
export interface QueryData {
  readonly x: readonly string[];
  readonly x_compared?: readonly string[];
  readonly union_group_num?: number;
  readonly y: readonly Readonly<Record<string, readonly QueryEntry[]>>[];
  readonly range?: { readonly start_time: string; readonly end_time: string };
  readonly zone?: number | string;
  readonly cached?: boolean;
  readonly truncated?: boolean;
  readonly warnings?: readonly string[];
}

interface QueryEntry {
  readonly group_cols?: readonly string[];
  readonly values?: readonly string[];
  readonly values_compared?: readonly string[];
}

/** One row of values of a result: a metric of a group. */
export interface Series {
  readonly metric: string;
  readonly group: readonly string[];
  readonly isCompared: boolean;
  /** The values as in the response, one for each label of x. */
  readonly values: readonly string[];
}

/**
 * Returns all series of a result in its order, each followed by its compared one.
 * @throws UserError if it is no result
 */
export function seriesOf(data: unknown): readonly Series[] {
  const { x, y } = (data ?? {}) as Partial<QueryData>;
  if (!Array.isArray(x) || !Array.isArray(y))
    throw new UserError("the response is not an event analysis result");
  return (y as QueryData["y"]).flatMap((metrics) =>
    Object.entries(metrics).flatMap(([metric, entries]) =>
      entries.flatMap(({ group_cols: group = [], values = [], values_compared: compared }) => [
        { metric, group, isCompared: false, values },
        ...(compared === undefined ? [] : [{ metric, group, isCompared: true, values: compared }]),
      ]),
    ),
  );
}

/** Returns a name such as `login.TOTAL_TIMES · Berlin · A`, with a word for the compared range. */
export function nameOf({ metric, group, isCompared }: Series): string {
  const isOverall = group.length === 0 || (group.length === 1 && group[0] === "Overall");
  const parts = [metric, ...(isOverall ? [] : group), ...(isCompared ? ["compared"] : [])];
  return parts.join(" · ");
}

/** Returns the number of a text in a response; NaN for `-`. */
export function numberOf(text: string | undefined): number {
  if (text === undefined || text === "-" || text.trim() === "") return Number.NaN;
  return text.endsWith("%") ? Number(text.slice(0, -1)) : Number(text);
}
