import { useSignal } from "@preact/signals";
import type { Task } from "../../../../../gen/engage/channel/v1/task_pb.ts";
import { Button } from "../../../controls/button.tsx";
import { Tabs } from "../../../controls/tabs.tsx";
import { type Faults, faultsIn } from "../../../form/faults.ts";
import { focusFault } from "../../../form/focus-fault.ts";
import { type Outcome, OutcomeNote } from "../../../form/outcome.tsx";
import { busyText, say } from "../../../form/say.ts";
import { hrefOf, navigate } from "../../../router/router.ts";
import { faultOf } from "../../../rpc/fault.ts";
import { t } from "../../../texts/texts.ts";
import { QueryTextError } from "./audience/audience-draft.ts";
import { Preview } from "./preview.tsx";
import { faithfulDraftOf, taskOfText, textOfDraft, textOfTask } from "./task-copy.ts";
import { checkTaskDraft, newTaskDraft, type TaskDraft, taskOf } from "./task-draft.ts";
import { TaskFields } from "./task-fields.tsx";
import type { TaskFormPart } from "./task-form-part.ts";
import { TaskJson, TaskTextError } from "./task-json.tsx";

const noFaults: Faults = new Map();

interface TaskFormProps extends Pick<TaskFormPart, "client" | "channel"> {
  /** The task whose definition the new one begins with. */
  readonly original: Task | undefined;
}

/** The form of a new task for a channel. What no form shows is edited as JSON. */
export function TaskForm({ client, channel, original }: TaskFormProps) {
  const first = original === undefined ? newTaskDraft : faithfulDraftOf(original, channel);
  const draft = useSignal(first ?? newTaskDraft);
  // Undefined while the form is used.
  const json = useSignal(first === undefined && original !== undefined ? textOfTask(original) : undefined);
  const outcome = useSignal<Outcome>({});
  const createdId = useSignal("");
  const { faults, isBusy, submit } = useSubmit(outcome);
  const change = (changes: Partial<TaskDraft>): void => {
    draft.value = { ...draft.value, ...changes };
  };
  const open = (name: string): Promise<void> =>
    submit(async () => {
      if (name === "json") json.value ??= textOfDraft(draft.value, channel);
      else if (json.value !== undefined) {
        draft.value = draftOfText(json.value, channel);
        json.value = undefined;
      }
    });
  const create = () =>
    submit(
      async () => {
        const task = json.value === undefined ? taskOf(draft.value, channel) : readText(json.value);
        const { task: created, warnings } = await client.createTask({ task });
        createdId.value = created?.taskId ?? "";
        if (warnings.length === 0) navigate(["tasks", createdId.value]);
        else outcome.value = { warnings };
      },
      json.value === undefined ? checkTaskDraft(draft.value) : new Map(),
    );
  const part = { client, channel, draft: draft.value, faults, isBusy, submit };
  const formView = () => (
    <div class="form">
      <form class="form-whole" noValidate onSubmit={(event) => event.preventDefault()}>
        <TaskFields {...part} onChange={change} />
      </form>
      <Preview {...part} />
    </div>
  );
  const jsonView = () => (
    <TaskJson
      text={json.value ?? ""}
      note={first === undefined ? unfitText(channel) : undefined}
      faults={faults}
      onInput={(text) => {
        json.value = text;
      }}
    />
  );
  return (
    <div class="form-whole">
      <Tabs
        label={t("tasks.edit")}
        open={json.value === undefined ? "form" : "json"}
        onOpen={(name) => void open(name)}
        tabs={[
          { name: "form", title: t("tasks.edit.form"), content: formView },
          { name: "json", title: t("tasks.edit.json"), content: jsonView },
        ]}
      />
      <OutcomeNote outcome={outcome.value} saved={t("tasks.created")}>
        <a href={hrefOf(["tasks", createdId.value])}>{t("tasks.created.open")}</a>
      </OutcomeNote>
      <div class="row">
        <Button kind="main" obstacle={busyText(isBusy)} onClick={() => void create()}>
          {t("tasks.create")}
        </Button>
        {json.value === undefined && (
          <span class="muted">
            {t(draft.value.schedule.kind === "none" ? "tasks.create.draft" : "tasks.create.scheduled")}
          </span>
        )}
      </div>
    </div>
  );
}

/** @throws TaskTextError */
function readText(text: string): Task {
  try {
    return taskOfText(text);
  } catch (error) {
    throw new TaskTextError((error as Error).message);
  }
}

/** @throws TaskTextError for what is no task, and for a task that the form would change */
function draftOfText(text: string, channel: TaskFormPart["channel"]): TaskDraft {
  const draft = faithfulDraftOf(readText(text), channel);
  if (draft === undefined) throw new TaskTextError(unfitText(channel));
  return draft;
}

function unfitText({ channelId }: TaskFormPart["channel"]): string {
  return t("tasks.json.unfit", { channel: channelId });
}

type Submission = Pick<TaskFormPart, "faults" | "isBusy" | "submit">;

/** What runs the calls of the form, one at a time, and holds what is wrong. */
function useSubmit(outcome: { value: Outcome }): Submission {
  const faults = useSignal(noFaults);
  const isBusy = useSignal(false);
  /** Runs a call with what was entered unless something is wrong; faults of fields are shown at them. */
  const submit: TaskFormPart["submit"] = async (call, wrong = new Map()) => {
    outcome.value = {};
    faults.value = new Map([...wrong].map(([path, fault]) => [path, say(fault)]));
    if (wrong.size > 0) return focusFault();
    isBusy.value = true;
    try {
      await call();
    } catch (error) {
      const place = placeOf(error);
      faults.value =
        place === undefined ? faultsIn(error, "task") : new Map([[place, (error as Error).message]]);
      if (place === undefined) outcome.value = { fault: faultOf(error) };
      focusFault();
    }
    isBusy.value = false;
  };
  return { faults: faults.value, isBusy: isBusy.value, submit };
}

/** Returns the field that holds the text which an error is about. */
function placeOf(error: unknown): string | undefined {
  if (error instanceof QueryTextError) return "audience.analysis";
  return error instanceof TaskTextError ? "json" : undefined;
}
