import { type Mapping, type Sample, type Source, valuesOf } from "./mapping.ts";
import { isPlainNumber } from "./numbers.ts";
import { readTime } from "./times.ts";

/** Returns the command that imports a file in the same way, for a program that does it every day. */
export function commandOf({ fileName, header, rows }: Sample, mapping: Mapping, projectId: bigint): string {
  const column = (index: number) => header[index] ?? "";
  const from = (target: string, source: Source) =>
    source.kind === "text" ? `${target}:=${source.text}` : `${target}=${column(source.index)}`;
  const times = rows.map((row) => row[mapping.time] ?? "");
  const isIso = times.every((text) => text === "" || readTime(text, mapping.order)?.isUtc === false);
  const entries = [
    from("#event_name", mapping.event),
    from("#account_id", mapping.user),
    `#time=${column(mapping.time)}${isIso ? "" : ":time"}`,
    ...mapping.properties
      .filter(({ name }) => name !== "")
      .map(({ name, index, type }) => `${name}=${column(index)}${type === "text" ? "" : `:${type}`}`),
  ];
  const maps = entries.map((entry) => ` --map ${quote(entry)}`).join("");
  return `engage import ${quote(fileName)} --project ${projectId}${maps}`;
}

/** Reports whether the command reads all numbers of a table: it takes only those that are written as in JSON. */
export function readsNumbers(sample: Sample, { properties }: Mapping): boolean {
  const numbers = properties.filter(({ name, type }) => name !== "" && type === "number");
  return numbers.every(({ index }) => valuesOf(sample, index).every(isPlainNumber));
}

function quote(text: string): string {
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
