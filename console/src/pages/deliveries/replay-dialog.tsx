import type { MessageInitShape } from "@bufbuild/protobuf";
import { useSignal } from "@preact/signals";
import type { DeadLetterFilterSchema } from "../../../../gen/engage/webhook/v1/delivery_pb.ts";
import { Dialog } from "../../controls/dialog/dialog.tsx";
import { FaultNote } from "../../controls/fault-note.tsx";
import { Loaded } from "../../controls/loaded.tsx";
import { type Fault, faultOf } from "../../rpc/fault.ts";
import { useLoaded } from "../../rpc/load-once.ts";
import { t, tn } from "../../texts/texts.ts";
import { client } from "./client.ts";

const pageSize = 1_000;

export interface ReplayDialogProps {
  readonly title: string;
  readonly filter: MessageInitShape<typeof DeadLetterFilterSchema>;
  /** Whether an empty filter is meant. */
  readonly isAll?: boolean;
  readonly onReplayed?: () => void;
  readonly onClose: () => void;
}

/** Counts the dead letters that a filter selects, and sends them again when the user confirms. */
export function ReplayDialog({ title, filter, isAll = false, onReplayed, onClose }: ReplayDialogProps) {
  const counted = useLoaded("count", (signal) =>
    client.replayDeadLetters({ filter, all: isAll, dryRun: true }, { signal }),
  );
  const replayed = useSignal<bigint | undefined>(undefined);
  const fault = useSignal<Fault | undefined>(undefined);
  const isRunning = useSignal(false);
  const run = async (): Promise<void> => {
    if (isRunning.peek()) return;
    isRunning.value = true;
    fault.value = undefined;
    try {
      let count = 0n;
      let pageToken = "";
      do {
        // In parts, so that batches are accepted meanwhile.
        const part = await client.replayDeadLetters({ filter, all: isAll, pageSize, pageToken });
        count += part.count;
        pageToken = part.nextPageToken;
      } while (pageToken !== "");
      replayed.value = count;
      onReplayed?.();
    } catch (error) {
      fault.value = faultOf(error);
    }
    isRunning.value = false;
  };
  const count = counted.data?.count ?? 0n;
  const action = { text: tn("deliveries.replay.run", count), run: () => void run() };
  return (
    <Dialog title={title} onClose={onClose} {...(count > 0n && replayed.value === undefined && { action })}>
      <div aria-live="polite" class="stack">
        {replayed.value === undefined ? (
          <Loaded data={counted.data} fault={counted.fault} onRetry={counted.reload}>
            {() => <Question count={count} />}
          </Loaded>
        ) : (
          <p>{tn("deliveries.replay.done", replayed.value)}</p>
        )}
        {fault.value !== undefined && <FaultNote fault={fault.value} />}
      </div>
    </Dialog>
  );
}

function Question({ count }: { readonly count: bigint }) {
  if (count === 0n) return <p>{t("deliveries.replay.none")}</p>;
  return (
    <>
      <p>{tn("deliveries.replay.count", count)}</p>
      <p class="muted">{t("deliveries.replay.warning")}</p>
    </>
  );
}
