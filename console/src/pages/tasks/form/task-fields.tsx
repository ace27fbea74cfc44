import { TaskSchema } from "../../../../../gen/engage/channel/v1/task_pb.ts";
import { Card } from "../../../controls/card.tsx";
import { Field } from "../../../controls/field.tsx";
import { faultsOf } from "../../../form/faults.ts";
import { labelOf, sayLimits } from "../../../form/say.ts";
import { t } from "../../../texts/texts.ts";
import { AudienceControl } from "./audience/audience-control.tsx";
import { Estimate } from "./audience/estimate.tsx";
import { ContentsControl } from "./controls/contents-control.tsx";
import { GroupsControl } from "./controls/group-control.tsx";
import { JourneyControl } from "./controls/journey-control.tsx";
import { ScheduleControl } from "./controls/schedule-control.tsx";
import type { TaskDraft } from "./task-draft.ts";
import type { TaskFormPart } from "./task-form-part.ts";

interface TaskFieldsProps extends TaskFormPart {
  readonly onChange: (changes: Partial<TaskDraft>) => void;
}

const { name: nameField, languageProperty: languageField } = TaskSchema.field;

/** All that a task is made from, in the parts in which its reader thinks of it. */
export function TaskFields({ onChange, ...part }: TaskFieldsProps) {
  const { channel, draft, faults } = part;
  const { contents, groups, audience, schedule, journey } = draft;
  const isMultiLanguage = [contents, ...groups.map((group) => group.contents)].some(
    (list) => list.length > 1,
  );
  return (
    <>
      <Card title={t("tasks.task")} isPadded>
        <div class="form-fields">
          <Field
            label={labelOf(nameField)}
            limits={sayLimits(nameField) ?? ""}
            value={draft.name}
            error={faults.get("name")}
            isRequired
            onInput={(name) => onChange({ name })}
          />
        </div>
      </Card>
      <Card title={t("tasks.audience")} isPadded>
        <div class="stack">
          <AudienceControl
            projectId={channel.projectId}
            audience={audience}
            faults={faultsOf(faults, "audience")}
            onChange={(changes) => onChange({ audience: { ...audience, ...changes } })}
          />
          <Estimate {...part} />
        </div>
      </Card>
      <Card title={t("tasks.contents")} isPadded>
        <div class="stack">
          <ContentsControl
            channel={channel}
            contents={contents}
            faults={faults}
            onChange={(changed) => onChange({ contents: changed })}
          />
          {isMultiLanguage && (
            <div class="form-fields">
              <Field
                label={labelOf(languageField)}
                limits={[t("form.required"), sayLimits(languageField)].join(" · ")}
                value={draft.languageProperty}
                error={faults.get("language_property")}
                onInput={(languageProperty) => onChange({ languageProperty })}
              />
            </div>
          )}
        </div>
      </Card>
      <Card title={t("tasks.groups")} isPadded>
        <GroupsControl
          channel={channel}
          groups={groups}
          faults={faults}
          onChange={(changed) => onChange({ groups: changed })}
        />
      </Card>
      <Card title={t("tasks.schedule")} isPadded>
        <ScheduleControl
          schedule={schedule}
          faults={faultsOf(faults, "schedule")}
          onChange={(changes) => onChange({ schedule: { ...schedule, ...changes } })}
        />
      </Card>
      <Card title={t("tasks.journey")} isPadded>
        <JourneyControl
          journey={journey}
          faults={faultsOf(faults, "journey")}
          onChange={(changes) => onChange({ journey: { ...journey, ...changes } })}
        />
      </Card>
    </>
  );
}
