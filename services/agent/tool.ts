import type { JsonObject } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { z } from "zod";
import { codeName } from "../../base/rpc/code-names.ts";
import { knownNames, listKnown } from "../../base/text/known-names.ts";
import { quote } from "../../base/text/quote.ts";
import type { Calls } from "./calls.ts";
import type { Output } from "./output.ts";

/** What a tool cannot do; its message is for the model. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** Returns the text of an error for the model; undefined if the error is not for it. */
export function wordError(error: unknown): string | undefined {
  if (error instanceof ToolError) return error.message;
  if (!(error instanceof ConnectError)) return undefined;
  return `${codeName(error.code).replaceAll("_", " ").toLowerCase()}: ${error.rawMessage}`;
}

/** One operation for agents. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly isReadOnly: boolean;
  readonly isDestructive: boolean;
  readonly isOpenWorld: boolean;
  /** @throws ToolError, ConnectError */
  run(args: unknown, calls: Calls): Promise<Output>;
}

interface Definition<S extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: S;
  /** Absent: it changes nothing. */
  readonly effect?: "destructive and open world";
  readonly run: (input: z.output<S>, calls: Calls) => Promise<Output>;
}

/** Creates a tool that checks its arguments. */
export function defineTool<S extends z.ZodObject>(definition: Definition<S>): Tool {
  const { name, title, description, input, effect, run } = definition;
  return {
    name,
    title,
    description,
    inputSchema: publish(input),
    isReadOnly: effect === undefined,
    isDestructive: effect !== undefined,
    isOpenWorld: effect !== undefined,
    async run(args, calls) {
      const parsed = input.safeParse(args, { reportInput: true });
      if (!parsed.success) throw new ToolError(describeIssues(parsed.error.issues, input));
      return await run(parsed.data, calls);
    },
  };
}

/** Marks a schema whose form is described elsewhere: it is checked in full, and published by its text alone. */
export const brief = { isBrief: true } as const;

/** Returns the JSON Schema of arguments, which every conversation of an agent begins with, so it is short. */
function publish(input: z.ZodType): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: "input",
    override({ jsonSchema }) {
      if (!("isBrief" in jsonSchema)) return;
      for (const key of Object.keys(jsonSchema)) {
        if (key !== "type" && key !== "description") delete jsonSchema[key as keyof typeof jsonSchema];
      }
    },
  });
  return schema as JsonObject;
}

type Issue = z.core.$ZodIssue;

const maxDescribed = 10;

/** Words the first faults of arguments, with the valid values. */
export function describeIssues(issues: readonly Issue[], input: z.ZodObject): string {
  return issues
    .slice(0, maxDescribed)
    .map((issue) => describeIssue(issue, input))
    .join("; ");
}

function describeIssue(issue: Issue, input: z.ZodObject): string {
  const at = issue.path.map(String).join(".");
  const field = at === "" ? "" : `${at} `;
  if (issue.code === "unrecognized_keys")
    return issue.keys
      .slice(0, maxDescribed)
      .map((key) => unknownKey(key, at, input))
      .join("; ");
  const isMissing =
    issue.input === undefined && (issue.code === "invalid_value" || issue.code === "invalid_type");
  if (isMissing && issue.code === "invalid_type") return `${field}is required`;
  if (issue.code === "invalid_value") {
    const valid = issue.values.map(String);
    if (isMissing) return `${field}is required, ${listKnown(valid)}`;
    return `${field}is ${quote(issue.input)}, ${knownNames(String(issue.input), valid)}`;
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const [first] = issue.errors.toSorted((a, b) => a.length - b.length);
    const inner = first!.map((one) => describeIssue({ ...one, path: [...issue.path, ...one.path] }, input));
    return inner.join("; ");
  }
  const given = issue.input === undefined ? "is wrong" : `is ${quote(issue.input)}`;
  return `${field}${given}, ${issue.message.replace(/^Invalid input: /, "").replace(/^[A-Z]/, lower)}`;
}

const lower = (letter: string): string => letter.toLowerCase();

function unknownKey(key: string, at: string, input: z.ZodObject): string {
  const place = at === "" ? quote(key) : `${quote(key)} in ${at}`;
  const known = at === "" ? Object.keys(input.shape) : [];
  return known.length === 0 ? `${place} is not known` : `${place} is not known, ${knownNames(key, known)}`;
}
