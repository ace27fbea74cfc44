import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generate } from "./generate.ts";

/** The command line arguments of all parts over the generated events. */
export const dataArguments = {
  /** A data folder of a server. It is made when it is missing or has another number of events, and reused otherwise. */
  data: { type: "string", default: "data/bench-analysis" },
  events: { type: "string", default: "10000000" },
  rounds: { type: "string", default: "5" },
  /** Runs only requests whose names contain this. */
  only: { type: "string", default: "" },
} as const;

/** Generates the events unless they exist, and returns the folder. */
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
