import { writeMoment } from "../../router/moment.ts";
import { setQuery } from "../../router/router.ts";
import { TimeField } from "./time-field.tsx";

export interface TimeRangeFieldsProps {
  readonly fromLabel: string;
  readonly untilLabel: string;
  /** Milliseconds since 1970, as `untilMs`. */
  readonly fromMs: number | undefined;
  readonly untilMs: number | undefined;
}

/** Two fields for the times of a list, which are `from` and `until` in the URL. */
export function TimeRangeFields({ fromLabel, untilLabel, fromMs, untilMs }: TimeRangeFieldsProps) {
  return (
    <>
      <TimeField label={fromLabel} ms={fromMs} onChange={(ms) => setQuery({ from: writeMoment(ms) })} />
      <TimeField label={untilLabel} ms={untilMs} onChange={(ms) => setQuery({ until: writeMoment(ms) })} />
    </>
  );
}
