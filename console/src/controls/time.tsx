import { formatAge, formatTime } from "../texts/formats.ts";

export interface TimeProps {
  /** Milliseconds since 1970. */
  readonly ms: number;
  /** The zone of the project that the moment belongs to; the chosen one by default. */
  readonly zone?: string;
  /** Shows the age beside the moment. */
  readonly nowMs?: number;
}

/** A moment with its zone; the title has it in UTC. */
export function Time({ ms, zone, nowMs }: TimeProps) {
  const iso = new Date(ms).toISOString();
  return (
    <time dateTime={iso} title={iso} class="number">
      {formatTime(ms, zone)}
      {nowMs !== undefined && <span class="muted"> · {formatAge(ms, nowMs)}</span>}
    </time>
  );
}
