import { type ParserConfig, parserConfigSchema } from "../../../../services/parser/config.ts";
import { openFormats } from "../../../../services/parser/formats/formats.ts";
import type { LineFailure } from "../../../../services/parser/line/line.ts";
import type { ConfigProblem } from "../../../../services/parser/mapping/problems.ts";

/** 2024-03-10 12:00:00 UTC. */
export const testNow = Date.UTC(2024, 2, 10, 12);

export function configOf(...formats: object[]): ParserConfig {
  return parserConfigSchema.parse({
    formats: formats.map((format, at) => ({ name: `format ${at}`, index: "*", ...format })),
  });
}

export async function problemsOf(...formats: object[]): Promise<readonly ConfigProblem[]> {
  return (await openFormats(configOf(...formats), { now: () => testNow })).problems;
}

/** The records of a line as values, or its failure. */
export type ParseToValues = (line: string) => readonly unknown[] | LineFailure;

/** Opens one format, which must have no problems. */
export async function openFormat(format: object): Promise<ParseToValues> {
  const parse = await openRaw(format);
  return (line) => {
    const result = parse(line);
    return "failed" in result ? result : result.map((text) => JSON.parse(text) as unknown);
  };
}

/** As openFormat, but gives the records' text. */
export async function openRaw(format: object): Promise<(line: string) => readonly string[] | LineFailure> {
  const { formatFor, problems } = await openFormats(configOf(format), { now: () => testNow });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  const { parseLine } = formatFor("test.log")!;
  return (line) => parseLine(line, "test.log");
}

/** Returns the result of a bad line with this reason. */
export function failure(reason: string): object {
  return { failed: true, reason };
}
