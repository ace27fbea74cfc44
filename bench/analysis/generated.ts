import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generate } from "./generate.ts";

/** What all parts over the generated events take from the command line. */
export const dataArguments = {
  /** A data folder of a server; made when it is missing or has another number of events, else used again. */
  data: { type: "string", default: "data/bench-analysis" },
  events: { type: "string", default: "10000000" },
  rounds: { type: "string", default: "5" },
  /** Requests with this in their names. */
  only: { type: "string", default: "" },
} as const;

/** Resolves with the folder. */
export async function openData({
  data,
  events,
}: {
  readonly data: string;
  readonly events: string;
}): Promise<string> {
  const mark = join(data, "bench-events");
  if (existsSync(mark) && readFileSync(mark, "utf8") === events) return data;
  const startMs = performance.now();
  const made = await generate(data, Number(events));
  writeFileSync(mark, events);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
  console.log(`${made} events generated in ${data}, ${seconds} s`);
  return data;
}
