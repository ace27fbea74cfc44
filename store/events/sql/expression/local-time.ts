import { dayMs } from "../../../../base/time/units.ts";
import type { ZoneStep } from "../../scan.ts";
import { intoSteps } from "./steps.ts";

export function toLocal(instant: string, zone: readonly ZoneStep[]): string {
  const [first, ...later] = zone;
  if (first?.offsetMs === 0 && later.length === 0) return instant;
  const offset = intoSteps(
    instant,
    later.map(({ fromMs }) => String(fromMs)),
    (step) => String(zone[step]?.offsetMs ?? 0),
  );
  return `(${instant} + ${offset})`;
}

/** Rounds down for times before 1970 too. */
export function toDay(local: string): string {
  return `(${local} - ((${local} % ${dayMs}) + ${dayMs}) % ${dayMs})`;
}
