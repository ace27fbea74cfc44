import type { Channel } from "../../../../../../gen/engage/channel/v1/channel_pb.ts";
import { ExperimentGroupSchema, TaskSchema } from "../../../../../../gen/engage/channel/v1/task_pb.ts";
import { defaultContent } from "../../../../contents/content-draft.ts";
import { Button } from "../../../../controls/button.tsx";
import { Checkbox } from "../../../../controls/checkbox.tsx";
import { Field } from "../../../../controls/field.tsx";
import { type Faults, faultsOf } from "../../../../form/faults.ts";
import { labelOf, sayLimits } from "../../../../form/say.ts";
import { formatNumber } from "../../../../texts/formats.ts";
import { t } from "../../../../texts/texts.ts";
import { type GroupDraft, restOf } from "../task-draft.ts";
import { ContentsControl } from "./contents-control.tsx";

export interface GroupsControlProps {
  readonly channel: Channel;
  readonly groups: readonly GroupDraft[];
  /** By paths within the task. */
  readonly faults: Faults;
  readonly onChange: (groups: readonly GroupDraft[]) => void;
}

const { groupId, share } = ExperimentGroupSchema.field;

/** The groups of an A/B test, with what remains as the control group. */
export function GroupsControl({ channel, groups, faults, onChange }: GroupsControlProps) {
  const label = labelOf(groupId);
  const fault = faults.get("experiment_groups");
  const rest = restOf(groups);
  return (
    <div class="form-list">
      {groups.length === 0 && <p class="muted">{t("tasks.groups.none")}</p>}
      {groups.map((group, i) => (
        // Groups keep their places while they are edited.
        <fieldset key={i}>
          <legend>{t("form.entry", { label, number: String(i + 1) })}</legend>
          <GroupFields
            channel={channel}
            group={group}
            faults={faultsOf(faults, `experiment_groups[${i}]`)}
            onChange={(changed) => onChange(groups.with(i, changed))}
          />
          <div>
            <Button
              kind="quiet"
              label={t("form.removeEntry", { label, number: String(i + 1) })}
              onClick={() => onChange(groups.toSpliced(i, 1))}
            >
              {t("form.remove")}
            </Button>
          </div>
        </fieldset>
      ))}
      {groups.length > 0 && rest !== undefined && (
        <p class="muted">{t("tasks.groups.control", { percent: formatNumber(rest) })}</p>
      )}
      {fault !== undefined && <span class="form-fault">{fault}</span>}
      <div class="row">
        <Button
          label={t("form.addEntry", { label })}
          onClick={() => onChange([...groups, nextGroup(groups)])}
        >
          {t("form.add")}
        </Button>
        <span class="muted">{sayLimits(TaskSchema.field.experimentGroups)}</span>
      </div>
    </div>
  );
}

/** Groups are named by letters at first. */
function nextGroup(groups: readonly GroupDraft[]): GroupDraft {
  return { groupId: String.fromCharCode(97 + (groups.length % 26)), share: "", contents: [] };
}

interface GroupFieldsProps {
  readonly channel: Channel;
  readonly group: GroupDraft;
  readonly faults: Faults;
  readonly onChange: (group: GroupDraft) => void;
}

function GroupFields({ channel, group, faults, onChange }: GroupFieldsProps) {
  return (
    <div class="stack">
      <div class="form-fields">
        <Field
          label={labelOf(groupId)}
          limits={sayLimits(groupId) ?? ""}
          value={group.groupId}
          error={faults.get("group_id")}
          isRequired
          onInput={(value) => onChange({ ...group, groupId: value })}
        />
        <Field
          label={labelOf(share)}
          limits={sayLimits(share) ?? ""}
          value={group.share}
          error={faults.get("share")}
          isRequired
          onInput={(value) => onChange({ ...group, share: value })}
        />
        <Checkbox
          label={t("tasks.groups.own")}
          hint={t("tasks.groups.own.hint")}
          isChecked={group.contents.length > 0}
          onChange={(isOwn) => onChange({ ...group, contents: isOwn ? [defaultContent] : [] })}
        />
      </div>
      {group.contents.length > 0 && (
        <ContentsControl
          channel={channel}
          contents={group.contents}
          faults={faults}
          onChange={(contents) => onChange({ ...group, contents })}
        />
      )}
    </div>
  );
}
