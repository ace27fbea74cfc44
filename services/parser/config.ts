import { z } from "zod";
import { formatSchema } from "./formats/config.ts";
import { framings, isFraming } from "./line/framing.ts";
import { strictShape } from "./mapping/config.ts";

const framing = z.enum(framings).default("items");

function sameForAll(value: unknown): unknown {
  if (!isFraming(value)) return value;
  return { grpc: value, connect: value, "grpc-web": value, rest: value };
}

const framingSchema = z
  .preprocess(
    sameForAll,
    strictShape(
      {
        grpc: framing.describe("Framing of gRPC calls."),
        connect: framing.describe("Framing of Connect calls."),
        "grpc-web": framing.describe("Framing of gRPC-Web calls."),
        rest: framing.describe("Framing of REST calls."),
      },
      `one of ${framings.join(", ")}, or one of them for each of grpc, connect, grpc-web, rest`,
    ),
  )
  .prefault({})
  .meta({
    description:
      "How lines stand in a call. items: INDEX IDXSEP DATA, separated by SEP. lines: one record a line. none: the whole " +
      "text is one line. One word for all protocols, or one for each.",
    examples: ["lines"],
  });

const deadLettersSchema = strictShape({
  file: z
    .string()
    .min(1)
    .default("deadletters/parser.ndjson")
    .describe("The file; a relative path starts at the data folder."),
  maxBytes: z.int().min(4096).default(67_108_864).describe("Bytes at which the file is rotated."),
  keepFiles: z
    .int()
    .min(0)
    .default(4)
    .describe("Number of rotated files that are kept. 0: a full file is deleted."),
})
  .prefault({})
  .describe("The files of lines without a record.");

const storeSchema = strictShape({
  project: z
    .int()
    .min(1)
    .meta({ description: "Id of the project, one of `projects`.", examples: [1] }),
  formats: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .meta({
      description: "Names of the formats whose records are stored. Default: all formats.",
      examples: [["game"]],
    }),
});

const separatorKeys = ["separator", "indexSeparator", "recordSeparator"] as const;

/** The section `parser` of engage.yaml. An empty object gives the defaults. */
export const parserConfigSchema = strictShape({
  separator: z.string().min(1).default("::").describe("SEP, the text between the items of a call."),
  indexSeparator: z
    .string()
    .min(1)
    .default("|ta|")
    .describe("IDXSEP, the text between INDEX and DATA of an item."),
  recordSeparator: z.string().min(1).default("\u0001").describe("Text between several records of one item."),
  framing: framingSchema,
  maxLineBytes: z.int().min(1).default(16_777_216).describe("Bytes of a line. Longer lines are refused."),
  workers: z
    .int()
    .min(0)
    .max(64)
    .default(1)
    .describe("Worker threads for large calls. 0: all calls are parsed in the main thread."),
  // Below this size parsing inline blocks the event loop for at most 8 ms; the round trip to a worker takes 1 ms more.
  workerThresholdBytes: z
    .int()
    .min(0)
    .default(524_288)
    .describe("Bytes of a call from which it is parsed in a worker. 0: all calls are."),
  deadLetters: deadLettersSchema,
  store: storeSchema
    .optional()
    .describe("Stores the records as events of a project too. Default: records are only returned."),
  formats: z
    .array(formatSchema)
    .default([])
    .describe("Formats of lines. The first format whose index pattern matches applies."),
}).superRefine((config, context) => {
  for (const key of separatorKeys) {
    for (const other of separatorKeys) {
      if (key === other || !config[key].includes(config[other])) continue;
      const values = `${JSON.stringify(config[key])} contains ${other} ${JSON.stringify(config[other])}`;
      context.addIssue({ code: "custom", path: [key], message: `${values}, so items cannot be separated` });
    }
  }
});

export type ParserConfig = z.output<typeof parserConfigSchema>;

/** Reports whether records of a format are stored; undefined when no records are. */
export function compileIsStored({ store }: Pick<ParserConfig, "store">): IsStored | undefined {
  if (store === undefined) return undefined;
  const formats = store.formats && new Set(store.formats);
  return (format) => formats === undefined || (format !== undefined && formats.has(format));
}

export type IsStored = (format: string | undefined) => boolean;
