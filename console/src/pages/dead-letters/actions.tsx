import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { mayWrite } from "../../app/session.ts";
import { Button } from "../../controls/button.tsx";
import { DialogButton } from "../../controls/dialog/dialog-button.tsx";
import { FaultNote } from "../../controls/fault-note.tsx";
import { RefreshButton } from "../../controls/refresh-button.tsx";
import { ReplayDialog } from "../../replay/replay-dialog.tsx";
import { type Fault, faultOf } from "../../rpc/fault.ts";
import { t } from "../../texts/texts.ts";
import { client } from "./client.ts";
import { exportToFile } from "./export.ts";
import type { Filter } from "./filters.ts";
import type { KindName } from "./kinds.ts";
import { lettersOf } from "./replay.ts";

export interface ActionsProps {
  readonly kind: KindName;
  readonly filter: Filter;
  readonly isAll: boolean;
  /** Why the kind cannot be replayed; empty if it can. */
  readonly obstacle: string;
  readonly onChanged: () => void;
}

/** Replays and exports what the filters select. */
export function Actions({ kind, filter, isAll, obstacle, onChanged }: ActionsProps) {
  const text = t(isAll ? "deadLetters.replay.all" : "deadLetters.replay.filtered");
  return (
    <div class="row">
      <RefreshButton onClick={onChanged} />
      <ExportButton kind={kind} filter={filter} isAll={isAll} />
      <DialogButton
        text={text}
        isOffered={mayWrite.value && obstacle === ""}
        dialog={(close) => (
          <ReplayDialog
            title={text}
            page="deadLetters"
            selected={lettersOf(client, filter, isAll)}
            onReplayed={onChanged}
            onClose={close}
          />
        )}
      />
    </div>
  );
}

function ExportButton({ kind, filter, isAll }: Pick<ActionsProps, "kind" | "filter" | "isAll">) {
  const isRunning = useSignal(false);
  const fault = useSignal<Fault | undefined>(undefined);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const run = async (): Promise<void> => {
    isRunning.value = true;
    fault.value = undefined;
    const { signal } = leaving.current;
    try {
      await exportToFile(kind, filter, signal);
    } catch (error) {
      if (!signal.aborted) fault.value = faultOf(error);
    }
    isRunning.value = false;
  };
  return (
    <>
      <Button
        onClick={() => void run()}
        obstacle={isRunning.value ? t("deadLetters.export.running") : undefined}
      >
        {t(isAll ? "deadLetters.export.all" : "deadLetters.export.filtered")}
      </Button>
      {fault.value !== undefined && <FaultNote fault={fault.value} />}
    </>
  );
}
