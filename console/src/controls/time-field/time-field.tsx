import { zone } from "../../app/preferences.ts";
import { localZone } from "../../texts/formats.ts";
import { t } from "../../texts/texts.ts";
import { Field } from "../field.tsx";
import { fieldValueOf, momentOf } from "./zoned-time.ts";

export interface TimeFieldProps {
  readonly label: string;
  /** Milliseconds since 1970. */
  readonly ms: number | undefined;
  readonly onChange: (ms: number | undefined) => void;
}

/** A field for a moment in the chosen zone, which it names. */
export function TimeField({ label, ms, onChange }: TimeFieldProps) {
  return (
    <Field
      label={label}
      limits={t("time.in", { zone: zone.value || localZone })}
      type="datetime-local"
      value={ms === undefined ? "" : fieldValueOf(ms, zone.value)}
      onInput={(value) => onChange(momentOf(value, zone.value))}
    />
  );
}
