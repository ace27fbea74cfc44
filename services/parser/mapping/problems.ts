export type ConfigPath = readonly (string | number)[];

/** A fault in the configuration; the path is relative to the parser section, e.g. ["formats", 0, "pattern"]. */
export interface ConfigProblem {
  readonly path: ConfigPath;
  readonly message: string;
}

/** Collects the faults of a configuration, so that all are reported together. */
export interface Problems {
  readonly add: (path: ConfigPath, message: string) => void;
}

export function createProblems(): Problems & { readonly list: readonly ConfigProblem[] } {
  const list: ConfigProblem[] = [];
  return { list, add: (path, message) => list.push({ path, message }) };
}
