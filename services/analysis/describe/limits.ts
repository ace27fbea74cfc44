/** Limits of one query; more is refused with the number found and the limit. */
export const queryLimits = {
  metrics: 100,
  /** Operands of all metrics together, including those of named metrics. */
  operands: 300,
  groupBy: 100,
  /** Conditions of all lists of filters together. */
  conditions: 1_000,
  filterDepth: 10,
  /** Literals of one condition. */
  literals: 10_000,
  literalsOfAllConditions: 50_000,
  boundaries: 500,
  patternCharacters: 1_000,
  /**
   * Steps of all regular expressions of a query with their repetitions written out: compiling them takes 0.1 s at most.
   */
  patternSteps: 5_000,
  formulaCharacters: 10_000,
  formulaDepth: 50,
  /** Definitions of a project that refer to each other. */
  definitionDepth: 10,
  /** A week of minutes is 10,080. */
  buckets: 20_000,
  /** Largest number of days in relative ranges, windows and conditions: a hundred years. */
  days: 36_500,
  groups: 10_000,
  selectedColumns: 500,
} as const;

export const defaultGroups = 1_000;
/** Users in one response that is not streamed. */
export const maxListedUsers = 10_000;
/** Numbers in one response that is not streamed, 160 MB. */
export const maxResultValues = 20_000_000;
/** Results of one split metric in a response that is not streamed. */
export const maxSplitResults = 1_000;
