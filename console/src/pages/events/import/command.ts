import type { Mapping, Sample, Source } from "./mapping.ts";
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

function quote(text: string): string {
  return /^[\w./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
