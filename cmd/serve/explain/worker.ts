import { getPriority, setPriority } from "node:os";
import { workerData } from "node:worker_threads";
import type { Violation } from "../../../base/rpc/violation.ts";
import { knownNames } from "../../../base/text/known-names.ts";
import { quoteText } from "../../../base/text/quote.ts";
import type { ParserConfig } from "../../../services/parser/config.ts";
import type { ExplainOutcome, ExplainTask } from "../../../services/parser/explain/explain.ts";
import { type Explanation, explainBatch } from "../../../services/parser/explain/explain-batch.ts";
import { type Formats, openFormats } from "../../../services/parser/formats/formats.ts";
import { checkSeparators } from "../../../services/parser/line/separators.ts";
import { formatProblems, type Problem } from "../../config/problem.ts";
import { printFormats, readInlineFormats } from "./inline-formats.ts";
import type { WorkerTask } from "./thread.ts";

/** The main thread precedes this one, as it does the workers of the parser. */
const niceness = 5;

if (process.platform === "linux") setPriority(Math.max(niceness, getPriority()));

const config: ParserConfig = workerData;
let configured: Promise<Formats> | undefined;

/** The entry point of the worker. Its time is counted once it has begun the task. */
export async function explainInWorker({ begun, ...task }: WorkerTask): Promise<ExplainOutcome> {
  configured ??= openFormats(config);
  const formats = await configured;
  Atomics.store(begun, 0, 1);
  if (task.inlineFormats !== undefined) return await explainInline(task, task.inlineFormats);
  return explainConfigured(task, formats);
}

function explainConfigured(task: ExplainTask, formats: Formats): ExplainOutcome {
  const { format: name } = task;
  const format = name === undefined ? undefined : formats.formatNamed(name);
  if (name !== undefined && format === undefined) {
    const names = config.formats.map((one) => one.name);
    return {
      kind: "unknown_format",
      message: `there is no format ${quoteText(name)}, ${knownNames(name, names)}`,
    };
  }
  const formatFor = format === undefined ? formats.formatFor : () => format;
  const explanation = explainBatch(task, { config, formats, formatFor });
  const used = new Set(explanation.lines?.map((line) => line.format));
  const shown = config.formats.filter((one) => used.has(one.name) || one.name === name);
  const configuration = shown.length === 0 ? "" : printFormats(shown);
  return explained(explanation, configuration, []);
}

async function explainInline(task: ExplainTask, text: string): Promise<ExplainOutcome> {
  const found = readInlineFormats(text, config);
  if (!("config" in found)) return { kind: "invalid", violations: found.map(violationOf) };
  const { config: inline, configuration, warnings, locate } = found;
  const formats = await openFormats(inline);
  const faults = [...checkSeparators(inline), ...formats.problems];
  if (faults.length > 0)
    return {
      kind: "invalid",
      violations: faults.map(({ path, message }) => violationOf(locate(path, message))),
    };
  const [first, second] = inline.formats;
  const only = second === undefined && first !== undefined ? formats.formatNamed(first.name) : undefined;
  const formatFor: Formats["formatFor"] = (index) => (index === "" && only) || formats.formatFor(index);
  return explained(explainBatch(task, { config: inline, formats, formatFor }), configuration, warnings);
}

function explained(
  explanation: Explanation,
  configuration: string,
  warnings: readonly Problem[],
): ExplainOutcome {
  const shown = warnings.map(({ where, path, message }) => ({ place: where, path, message }));
  return { kind: "explained", response: { ...explanation, configuration, warnings: shown } };
}

function violationOf(problem: Problem): Violation {
  return { field: "inline_formats", description: formatProblems([problem]).trim() };
}
