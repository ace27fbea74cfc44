import type { DescField } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { mayWrite } from "../app/session.ts";
import { Button } from "../controls/button.tsx";
import { t } from "../texts/texts.ts";
import type { Change, Draft } from "./draft.ts";
import { faultsOf } from "./faults.ts";
import type { FormPart } from "./field-control.tsx";
import { labelOf, sayLimits } from "./say.ts";

export interface ListControlProps extends FormPart {
  /** A list of messages. */
  readonly field: DescField;
  /** What a new entry begins with. */
  readonly initial: Draft;
  readonly children: (part: FormPart, index: number) => ComponentChildren;
}

/** The entries of a list of messages, with what adds and removes one. */
export function ListControl({ field, draft, faults, onChange, initial, children }: ListControlProps) {
  const { localName } = field;
  const entries = entriesOf(draft, localName);
  const set = (change: Change<readonly Draft[]>) =>
    onChange((before) => ({ ...before, [localName]: change(entriesOf(before, localName)) }));
  const label = labelOf(field);
  const fault = faults.get(field.name);
  return (
    <div class="form-list">
      {entries.map((entry, i) => (
        // Entries keep their places while they are edited.
        <fieldset key={i}>
          <legend>{t("form.entry", { label, number: String(i + 1) })}</legend>
          {children(
            {
              draft: entry,
              faults: faultsOf(faults, `${field.name}[${i}]`),
              onChange: (change) => set((before) => before.with(i, change(before[i] ?? initial))),
            },
            i,
          )}
          {mayWrite.value && (
            <div>
              <Button
                kind="quiet"
                label={t("form.removeEntry", { label, number: String(i + 1) })}
                onClick={() => set((before) => before.toSpliced(i, 1))}
              >
                {t("form.remove")}
              </Button>
            </div>
          )}
        </fieldset>
      ))}
      {fault !== undefined && <span class="form-fault">{fault}</span>}
      {mayWrite.value && (
        <div class="row">
          <Button label={t("form.addEntry", { label })} onClick={() => set((before) => [...before, initial])}>
            {t("form.add")}
          </Button>
          <span class="muted">{sayLimits(field)}</span>
        </div>
      )}
    </div>
  );
}

function entriesOf(draft: Draft, name: string): readonly Draft[] {
  return (draft[name] ?? []) as readonly Draft[];
}
