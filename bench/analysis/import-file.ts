import { closeSync, openSync, writeSync } from "node:fs";
import { dayMs, days, eventShares, users } from "./data.ts";

const pieceBytes = 1_048_576;

/** Returns a generator of numbers from 0 to 1, the same in every run (linear congruential, modulo 2^32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Writes records of events as NDJSON, about 280 bytes each, in the order of their times over the 30 days before
 * `endMs`. Returns the bytes of the file.
 */
export function writeRecords(file: string, count: number, endMs: number, hasUuids: boolean): number {
  const random = createRandom(7);
  const startMs = endMs - days * dayMs;
  const output = openSync(file, "w");
  let [piece, bytes] = ["", 0];
  const flush = () => {
    bytes += writeSync(output, piece);
    piece = "";
  };
  for (let i = 0; i < count; i++) {
    piece += recordOf(i, startMs + Math.floor((i / count) * days * dayMs), random, hasUuids);
    if (piece.length > pieceBytes) flush();
  }
  flush();
  closeSync(output);
  return bytes;
}

function recordOf(index: number, timeMs: number, random: () => number, hasUuids: boolean): string {
  const user = Math.floor(random() ** 1.5 * users);
  const time = new Date(timeMs).toISOString().replace("T", " ").slice(0, -1);
  const uuid = hasUuids ? `,"#uuid":"00000000-0000-4000-8000-${String(index).padStart(12, "0")}"` : "";
  const [b, c, d] = [random(), random(), random()];
  return `{"#type":"track","#account_id":"account_${user}","#distinct_id":"visitor_${user}"${uuid},"#event_name":"${eventOf(random())}","#time":"${time}","properties":{"city":"city_${user % 40}","server":"server_${Math.floor(c * 1_000)}","level":${1 + Math.floor(d * 60)},"price":${(b * 100).toFixed(2)},"vip":${user % 10 === 0},"version":"v1.${Math.floor(b * 12)}"}}\n`;
}

function eventOf(share: number): string {
  let sum = 0;
  for (const [name, own] of eventShares) {
    sum += own;
    if (share < sum) return name;
  }
  return eventShares[0]![0];
}
