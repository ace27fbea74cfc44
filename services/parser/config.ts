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
        grpc: framing.describe("gRPC calls"),
        connect: framing.describe("Connect calls"),
        "grpc-web": framing.describe("gRPC-Web calls"),
        rest: framing.describe("REST calls"),
      },
      `one of ${framings.join(", ")}, or one of them for each of grpc, connect, grpc-web, rest`,
    ),
  )
  .prefault({})
  .describe("items (INDEX IDXSEP DATA), lines (one record a line) or none; one word, or one per protocol");

const deadLettersSchema = strictShape({
  file: z.string().min(1).default("deadletters/parser.ndjson").describe("relative to the data directory"),
  maxBytes: z.int().min(4096).default(67_108_864).describe("size at which the file is rotated"),
  keepFiles: z.int().min(0).default(4).describe("rotated files kept"),
})
  .prefault({})
  .describe("dead letters: where lines without a record are kept");

const storeSchema = strictShape({
  project: z.int().min(1).describe("id of the project, one of projects"),
  formats: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe("only records of these formats; all formats by default"),
});

const separatorKeys = ["separator", "indexSeparator", "recordSeparator"] as const;

/** The section `parser` of engage.yaml. An empty object gives the defaults. */
export const parserConfigSchema = strictShape({
  separator: z.string().min(1).default("::").describe("SEP, between the items of a call"),
  indexSeparator: z.string().min(1).default("|ta|").describe("IDXSEP, between INDEX and DATA"),
  recordSeparator: z.string().min(1).default("\u0001").describe("between several records of one item"),
  framing: framingSchema,
  maxLineBytes: z.int().min(1).default(16_777_216).describe("longer lines are refused"),
  workers: z
    .int()
    .min(0)
    .max(64)
    .default(1)
    .describe("worker threads for large calls; 0 parses all calls inline"),
  // Below this size parsing inline blocks the event loop for at most 8 ms; the round trip to a worker takes 1 ms more.
  workerThresholdBytes: z
    .int()
    .min(0)
    .default(524_288)
    .describe("calls of at least this size are parsed in a worker"),
  deadLetters: deadLettersSchema,
  store: storeSchema.optional().describe("also stores the records as events of a project"),
  formats: z
    .array(formatSchema)
    .default([])
    .describe("formats of lines; the first format whose index pattern matches applies"),
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
