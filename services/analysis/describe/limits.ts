/** What one query may ask for; more is refused with the number found and the maximum. */
export const queryLimits = {
  metrics: 100,
  /** Of all metrics together, named metrics taken apart. */
  operands: 300,
  groupBy: 100,
  /** Of all lists of filters together. */
  conditions: 1_000,
  filterDepth: 10,
  /** Of one condition. */
  literals: 10_000,
  literalsOfAllConditions: 50_000,
  boundaries: 500,
  patternCharacters: 1_000,
  /** Steps of all regular expressions of a query with their repetitions written out: compiling them takes 0.1 s at most. */
  patternSteps: 5_000,
  formulaCharacters: 10_000,
  formulaDepth: 50,
  /** Definitions of a project within each other. */
  definitionDepth: 10,
  /** A week of minutes is 10,080. */
  buckets: 20_000,
  /** Of a number of days in relative ranges, windows and conditions; a hundred years. */
  days: 36_500,
  groups: 10_000,
  selectedColumns: 500,
} as const;

export const defaultGroups = 1_000;
/** Users in one answer that is not streamed. */
export const maxListedUsers = 10_000;
/** Numbers in one answer that is not streamed, 160 MB. */
export const maxAnswerValues = 20_000_000;
/** Results that one metric is split into in an answer that is not streamed. */
export const maxSplitResults = 1_000;
