import { useSignal } from "@preact/signals";
import { TaskSchema } from "../../../../../gen/engage/channel/v1/task_pb.ts";
import { Button } from "../../../controls/button.tsx";
import { Card } from "../../../controls/card.tsx";
import { Field } from "../../../controls/field.tsx";
import { type Faults, faultsIn, faultsOf } from "../../../form/faults.ts";
import { focusFault } from "../../../form/focus-fault.ts";
import { type Outcome, OutcomeNote } from "../../../form/outcome.tsx";
import { labelOf, say, sayLimits } from "../../../form/say.ts";
import { hrefOf, navigate } from "../../../router/router.ts";
import { faultOf } from "../../../rpc/fault.ts";
import { t } from "../../../texts/texts.ts";
import { AudienceControl } from "./audience/audience-control.tsx";
import { QueryTextError } from "./audience/audience-draft.ts";
import { Estimate } from "./audience/estimate.tsx";
import { ContentsControl } from "./content-control.tsx";
import { GroupsControl } from "./group-control.tsx";
import { Preview } from "./preview.tsx";
import { ScheduleControl } from "./schedule-control.tsx";
import { checkTaskDraft, newTaskDraft, type TaskDraft, taskOf } from "./task-draft.ts";
import type { TaskFormPart } from "./task-form-part.ts";

const noFaults: Faults = new Map();

/** The form of a new task for a channel. */
export function TaskForm({ client, channel }: Pick<TaskFormPart, "client" | "channel">) {
  const draft = useSignal(newTaskDraft);
  const faults = useSignal(noFaults);
  const outcome = useSignal<Outcome>({});
  const createdId = useSignal("");
  const isBusy = useSignal(false);
  const change = (changes: Partial<TaskDraft>): void => {
    draft.value = { ...draft.value, ...changes };
  };

  /** Runs a call with what was entered unless something is wrong; faults of fields are shown at them. */
  const submit: TaskFormPart["submit"] = async (call, wrong = new Map()) => {
    outcome.value = {};
    faults.value = new Map([...wrong].map(([path, fault]) => [path, say(fault)]));
    if (wrong.size > 0) return focusFault();
    isBusy.value = true;
    try {
      await call();
    } catch (error) {
      const isQuery = error instanceof QueryTextError;
      faults.value = isQuery ? new Map([["audience.analysis", error.message]]) : faultsIn(error, "task");
      if (!isQuery) outcome.value = { fault: faultOf(error) };
      focusFault();
    }
    isBusy.value = false;
  };
  const create = () =>
    submit(async () => {
      const { task, warnings } = await client.createTask({ task: taskOf(draft.value, channel) });
      createdId.value = task?.taskId ?? "";
      if (warnings.length === 0) navigate(["tasks", createdId.value]);
      else outcome.value = { warnings };
    }, checkTaskDraft(draft.value));
  const part = { client, channel, draft: draft.value, faults: faults.value, isBusy: isBusy.value, submit };
  return (
    <div class="form">
      <form class="form-whole" noValidate onSubmit={(event) => event.preventDefault()}>
        <TaskFields {...part} onChange={change} />
      </form>
      <Preview {...part} />
      <OutcomeNote outcome={outcome.value} saved={t("tasks.created")}>
        <a href={hrefOf(["tasks", createdId.value])}>{t("tasks.created.open")}</a>
      </OutcomeNote>
      <div class="row">
        <Button kind="main" isDisabled={isBusy.value} onClick={() => void create()}>
          {t("tasks.create")}
        </Button>
        <span class="muted">
          {t(draft.value.schedule.kind === "none" ? "tasks.create.draft" : "tasks.create.scheduled")}
        </span>
      </div>
    </div>
  );
}

interface TaskFieldsProps extends TaskFormPart {
  readonly onChange: (changes: Partial<TaskDraft>) => void;
}

const { name: nameField, languageProperty: languageField } = TaskSchema.field;

function TaskFields({ onChange, ...part }: TaskFieldsProps) {
  const { channel, draft, faults } = part;
  const { contents, groups, audience, schedule } = draft;
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
    </>
  );
}
