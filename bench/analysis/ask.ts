import { setPriority } from "node:os";
import { days, firstDayMs } from "./data.ts";
import { query } from "./service.ts";

/** Where to ask, and how many queries run at once. */
export interface Asking {
  readonly port: number;
  readonly queries: number;
}

/**
 * Runs heavy queries repeatedly, in a process of its own: reading their results takes no time from the calls that are
 * measured. The process stands for clients on other machines, so it has a low priority. Queries run from a message with
 * an `Asking` until "stop"; then the number of those that finished, at least one at a time, is sent back.
 */
setPriority(19);

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const heavy = {
  eventView: {
    startTime: dayOf(firstDayMs),
    endTime: dayOf(firstDayMs + (days - 1) * 86_400_000),
    timeParticleSize: "day",
    groupBy: [{ columnName: "server", tableType: "event" }],
  },
  events: [
    { type: "normal", eventName: "anyEvent", analysis: "TRIG_USER_NUM" },
    { type: "normal", eventName: "view", analysis: "PERCENTILE", analysisParams: "95", quota: "duration" },
  ],
};
const success = '{"return_code":0,';

async function ask(port: number): Promise<void> {
  const response = Buffer.from(await (await query({ port }, "/open/event-analyze", heavy)).arrayBuffer());
  if (!response.subarray(0, success.length).equals(Buffer.from(success)))
    throw new Error(response.toString());
}

let isStopped = false;

async function keepAsking(port: number): Promise<number> {
  for (let answered = 1; ; answered++) {
    await ask(port);
    if (isStopped) return answered;
  }
}

process.on("message", async (message: Asking | "stop") => {
  isStopped = message === "stop";
  if (message === "stop") return;
  const answered = await Promise.all(Array.from({ length: message.queries }, () => keepAsking(message.port)));
  process.send?.(answered.reduce((sum, count) => sum + count, 0));
});
