/** The path of a setting: keys of sections and indexes of lists, from the root of the configuration. */
export type ConfigPath = readonly (string | number)[];

/** A fault of the configuration. */
export interface Problem {
  /** The place, as `file:line:col` or `environment NAME`. */
  readonly where: string;
  /** The path in the form of `formatPath`; empty if the problem is one of the whole document. */
  readonly path: string;
  /** The fault. Quotes the value unless it is or may contain a secret. */
  readonly message: string;
}

/** The faults of the configuration, as many as can be found at once. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly Problem[];

  constructor(found: readonly Problem[]) {
    const problems = found.toSorted((a, b) => a.where.localeCompare(b.where, "en", { numeric: true }));
    const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
    super(`the configuration has ${count}:\n${formatProblems(problems)}`);
    this.problems = problems;
  }
}

/** Formats one problem per line, in the form that editors and terminals turn into links. */
export function formatProblems(problems: readonly Problem[]): string {
  return problems
    .map(({ where, path, message }) => `  ${[where, path, message].filter(Boolean).join(": ")}`)
    .join("\n");
}

/**
 * Formats `["parser", "formats", 0, "pattern"]` as `parser.formats[0].pattern`. Keys with other characters are quoted.
 */
export function formatPath(path: ConfigPath): string {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(key)) text += text === "" ? key : `.${key}`;
    else text += `[${JSON.stringify(key)}]`;
  }
  return text;
}

/** Whether `path` is `ancestor` or a path below it. */
export function isWithin(path: ConfigPath, ancestor: ConfigPath): boolean {
  return ancestor.every((key, i) => String(path[i]) === String(key) && i < path.length);
}
