/** Where a setting stands: keys of sections and indexes of lists, from the root of the configuration. */
export type ConfigPath = readonly (string | number)[];

/** One thing that is wrong with the configuration. */
export interface Problem {
  /** `file:line:col`, or `environment NAME`. */
  readonly where: string;
  /** As `formatPath` writes it; empty when the document as a whole is meant. */
  readonly path: string;
  /** What is wrong; quotes the value unless it is or may hold a secret. */
  readonly message: string;
}

/** What is wrong with a configuration, as much of it as can be found in one go. */
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

/** One problem a line, in the form that editors and terminals turn into links. */
export function formatProblems(problems: readonly Problem[]): string {
  return problems
    .map(({ where, path, message }) => `  ${[where, path, message].filter(Boolean).join(": ")}`)
    .join("\n");
}

/** `["parser", "formats", 0, "pattern"]` as `parser.formats[0].pattern`; keys that hold other characters are quoted. */
export function formatPath(path: ConfigPath): string {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else if (/^[A-Za-z_][\w-]*$/.test(key)) text += text === "" ? key : `.${key}`;
    else text += `[${JSON.stringify(key)}]`;
  }
  return text;
}

/** Whether `path` is `ancestor` or lies below it. */
export function isWithin(path: ConfigPath, ancestor: ConfigPath): boolean {
  return ancestor.every((key, i) => String(path[i]) === String(key) && i < path.length);
}
