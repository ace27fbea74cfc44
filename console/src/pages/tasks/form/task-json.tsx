import { Field } from "../../../controls/field.tsx";
import type { Faults } from "../../../form/faults.ts";
import { t } from "../../../texts/texts.ts";

/** The text is not the JSON of a task, or not of one that the form can show. */
export class TaskTextError extends Error {
  override readonly name = "TaskTextError";
}

interface TaskJsonProps {
  readonly text: string;
  /** Why there is no form; undefined if there can be one. */
  readonly note: string | undefined;
  readonly faults: Faults;
  readonly onInput: (text: string) => void;
}

/** A task as the JSON from which it is created. */
export function TaskJson({ text, note, faults, onInput }: TaskJsonProps) {
  const wrong = [...faults].map(([path, fault]) => (path === "json" ? fault : `${path} ${fault}`));
  return (
    <div class="stack">
      {note !== undefined && <p class="note">{note}</p>}
      <Field
        label={t("tasks.definition.json")}
        limits={t("tasks.json.limits")}
        rows={24}
        value={text}
        error={wrong.length === 0 ? undefined : wrong.join("; ")}
        onInput={onInput}
      />
    </div>
  );
}
