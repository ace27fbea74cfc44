import { useSignal } from "@preact/signals";
import type { SavedQuery } from "../../../../../gen/engage/analysis/v1/saved_queries_pb.ts";
import { Dialog } from "../../../controls/dialog/dialog.tsx";
import { FaultNote } from "../../../controls/fault-note.tsx";
import { Field } from "../../../controls/field.tsx";
import type { Title } from "../../../results/saved-queries.ts";
import type { Fault } from "../../../rpc/fault.ts";
import { t } from "../../../texts/texts.ts";

interface TitleDialogProps {
  readonly title: string;
  readonly action: string;
  readonly given: Title;
  readonly fault: Fault | undefined;
  readonly onClose: () => void;
  readonly onDone: (title: Title) => void;
}

/** Asks for the name and the description of a query. */
export function TitleDialog({ title, action, given, fault, onClose, onDone }: TitleDialogProps) {
  const name = useSignal(given.name);
  const description = useSignal(given.description);
  const run = (): void => onDone({ name: name.value.trim(), description: description.value });
  return (
    <Dialog title={title} onClose={onClose} action={{ text: action, run }}>
      <Field
        label={t("query.saved.name")}
        limits={t("query.saved.name.limits")}
        value={name.value}
        isRequired
        onInput={(value) => {
          name.value = value;
        }}
      />
      <Field
        label={t("query.saved.description")}
        limits={t("query.saved.description.limits")}
        rows={3}
        value={description.value}
        onInput={(value) => {
          description.value = value;
        }}
      />
      {fault !== undefined && <FaultNote fault={fault} />}
    </Dialog>
  );
}

interface RemoveDialogProps {
  readonly query: SavedQuery;
  readonly fault: Fault | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks before a query is deleted. */
export function RemoveDialog({ query, fault, onClose, onDone }: RemoveDialogProps) {
  return (
    <Dialog
      title={t("query.saved.remove.title")}
      onClose={onClose}
      action={{ text: t("query.saved.remove"), isDanger: true, run: onDone }}
    >
      <p>{t("query.saved.remove.text", { name: query.name })}</p>
      {fault !== undefined && <FaultNote fault={fault} />}
    </Dialog>
  );
}
