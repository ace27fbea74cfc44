import type { Client } from "@connectrpc/connect";
import { useSignal } from "@preact/signals";
import type { ChannelSender } from "../../../../gen/engage/channel/v1/channel_sender_pb.ts";
import type { Task } from "../../../../gen/engage/channel/v1/task_pb.ts";
import { Button } from "../../controls/button.tsx";
import { Dialog } from "../../controls/dialog/dialog.tsx";
import { FaultNote } from "../../controls/fault-note.tsx";
import { type Fault, faultOf } from "../../rpc/fault.ts";
import { t } from "../../texts/texts.ts";
import { mayCancel, mayRun } from "./states.ts";

interface TaskActionsProps {
  readonly client: Client<typeof ChannelSender>;
  readonly task: Task;
  /** Loads the task again. */
  readonly refresh: () => void;
}

type Action = "run" | "cancel";

/** What starts and what cancels a task, each after a question. */
export function TaskActions({ client, task, refresh }: TaskActionsProps) {
  const asked = useSignal<Action | undefined>(undefined);
  const fault = useSignal<Fault | undefined>(undefined);
  const { taskId, name, state } = task;
  const close = () => {
    asked.value = undefined;
    fault.value = undefined;
  };
  const act = async (action: Action): Promise<void> => {
    fault.value = undefined;
    try {
      if (action === "run") await client.runTask({ taskId });
      else await client.cancelTask({ taskId });
      close();
      refresh();
    } catch (error) {
      fault.value = faultOf(error);
    }
  };
  const ask = (action: Action) => () => {
    asked.value = action;
  };
  const action = asked.value;
  // A task that ran sends its messages again.
  const isNew = task.taskInstanceId === "";
  if (!mayRun(state) && !mayCancel(state)) return null;
  return (
    <div class="row">
      {mayRun(state) && (
        <Button {...(isNew && { kind: "main" as const })} onClick={ask("run")}>
          {t(isNew ? "tasks.run.now" : "tasks.run.again")}
        </Button>
      )}
      {mayCancel(state) && (
        <Button kind="danger" onClick={ask("cancel")}>
          {t("tasks.cancel")}
        </Button>
      )}
      {action !== undefined && (
        <Dialog
          title={t(action === "run" ? "tasks.run.ask" : "tasks.cancel.ask", { name })}
          onClose={close}
          action={{
            text: t(action === "cancel" ? "tasks.cancel" : isNew ? "tasks.run.now" : "tasks.run.again"),
            isDanger: action === "cancel",
            run: () => void act(action),
          }}
        >
          <p>
            {t(action === "cancel" ? "tasks.cancel.text" : isNew ? "tasks.run.text" : "tasks.run.again.text")}
          </p>
          {fault.value !== undefined && <FaultNote fault={fault.value} />}
        </Dialog>
      )}
    </div>
  );
}
