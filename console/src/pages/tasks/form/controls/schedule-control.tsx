import { ScheduleSchema } from "../../../../../../gen/engage/channel/v1/task_pb.ts";
import { Field, Select } from "../../../../controls/field.tsx";
import type { Faults } from "../../../../form/faults.ts";
import { labelOf, sayLimits } from "../../../../form/say.ts";
import { t } from "../../../../texts/texts.ts";
import type { ScheduleDraft } from "../task-draft.ts";

export interface ScheduleControlProps {
  readonly schedule: ScheduleDraft;
  /** By paths within the schedule. */
  readonly faults: Faults;
  readonly onChange: (changes: Partial<ScheduleDraft>) => void;
}

const { at, cron, zone } = ScheduleSchema.field;
const kinds = ["none", "at", "cron"] as const;

/** When a task runs. */
export function ScheduleControl({ schedule, faults, onChange }: ScheduleControlProps) {
  const { kind } = schedule;
  return (
    <div class="form-fields">
      <Select
        label={t("tasks.schedule.kind")}
        value={kind}
        options={kinds.map((value) => ({ value, text: t(`tasks.schedule.${value}`) }))}
        onChange={(value) => onChange({ kind: value as ScheduleDraft["kind"] })}
      />
      {kind === "at" && (
        <Field
          label={labelOf(at)}
          limits={sayLimits(at) ?? ""}
          value={schedule.at}
          error={faults.get("at")}
          onInput={(value) => onChange({ at: value })}
        />
      )}
      {kind === "cron" && (
        <Field
          label={labelOf(cron)}
          limits={[t("tasks.schedule.cron.limits"), sayLimits(cron)].join(" · ")}
          value={schedule.cron}
          error={faults.get("cron")}
          onInput={(value) => onChange({ cron: value })}
        />
      )}
      {kind !== "none" && (
        <Field
          label={labelOf(zone)}
          limits={t("tasks.schedule.zone.limits")}
          value={schedule.zone}
          error={faults.get("zone")}
          onInput={(value) => onChange({ zone: value })}
        />
      )}
    </div>
  );
}
