import { JourneySchema } from "../../../../../../gen/engage/channel/v1/task_pb.ts";
import { Checkbox } from "../../../../controls/checkbox.tsx";
import { Field } from "../../../../controls/field.tsx";
import type { Faults } from "../../../../form/faults.ts";
import { labelOf, sayLimits } from "../../../../form/say.ts";
import { t } from "../../../../texts/texts.ts";
import type { JourneyDraft } from "../task-draft.ts";

export interface JourneyControlProps {
  readonly journey: JourneyDraft;
  /** By paths within the journey. */
  readonly faults: Faults;
  readonly onChange: (changes: Partial<JourneyDraft>) => void;
}

const { flowId, flowVersion, nodeId } = JourneySchema.field;

/** Makes a task the push of a journey's node, whose ids its receipts contain. */
export function JourneyControl({ journey, faults, onChange }: JourneyControlProps) {
  return (
    <div class="stack">
      <Checkbox
        label={t("tasks.journey.on")}
        hint={t("tasks.journey.hint")}
        isChecked={journey.isOn}
        onChange={(isOn) => onChange({ isOn })}
      />
      {journey.isOn && (
        <div class="form-fields">
          {([flowId, flowVersion, nodeId] as const).map((field) => (
            <Field
              key={field.name}
              label={labelOf(field)}
              limits={sayLimits(field) ?? ""}
              value={journey[field.localName as "flowId" | "flowVersion" | "nodeId"]}
              error={faults.get(field.name)}
              isRequired
              onInput={(value) => onChange({ [field.localName]: value })}
            />
          ))}
        </div>
      )}
    </div>
  );
}
