import { readdir } from "node:fs/promises";

/** The files of a spool are numbered from 1, oldest first. */
export function segmentName(number: number): string {
  return `${String(number).padStart(12, "0")}.ndjson`;
}

/** The numbers of the files in the folder, ascending. */
export async function listSegments(folder: string): Promise<readonly number[]> {
  return (await readdir(folder))
    .map((name) => Number(/^(\d{12})\.ndjson$/.exec(name)?.[1]))
    .filter((number) => !Number.isNaN(number))
    .sort((a, b) => a - b);
}
