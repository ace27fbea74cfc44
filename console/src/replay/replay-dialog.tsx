import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Dialog } from "../controls/dialog/dialog.tsx";
import { FaultNote } from "../controls/fault-note.tsx";
import { Loaded } from "../controls/loaded.tsx";
import { type Fault, faultOf } from "../rpc/fault.ts";
import { useLoaded } from "../rpc/load-once.ts";
import { formatNumber } from "../texts/formats.ts";
import { t, tn } from "../texts/texts.ts";
import { countAll, type Replay, type Replayed, replayAll } from "./replay.ts";

export interface ReplayDialogProps {
  readonly title: string;
  /** The page whose words say what is replayed. */
  readonly page: "deliveries" | "deadLetters";
  readonly selected: Replay;
  readonly onReplayed?: () => void;
  readonly onClose: () => void;
}

/** Counts what a replay would take, and replays when the user confirms. Closing ends it after the running call. */
export function ReplayDialog({ title, page, selected, onReplayed, onClose }: ReplayDialogProps) {
  const soFar = useSignal(0n);
  const counted = useLoaded("count", (signal) =>
    countAll(selected, signal, (count) => {
      soFar.value = count;
    }),
  );
  const replayed = useSignal<Replayed | undefined>(undefined);
  const fault = useSignal<Fault | undefined>(undefined);
  const state = useSignal<"asked" | "running" | "ended">("asked");
  const closing = useRef(new AbortController());
  useEffect(() => () => closing.current.abort(), []);
  const run = async (): Promise<void> => {
    if (state.peek() !== "asked") return;
    state.value = "running";
    fault.value = undefined;
    try {
      await replayAll(selected, closing.current.signal, (sum) => {
        replayed.value = sum;
      });
      state.value = "ended";
    } catch (error) {
      fault.value = faultOf(error);
      state.value = "asked";
    }
    onReplayed?.();
  };
  const count = counted.data ?? 0n;
  const action = { text: tn(`${page}.replay.run`, count), run: () => void run() };
  return (
    <Dialog title={title} onClose={onClose} {...(count > 0n && state.value === "asked" && { action })}>
      <div aria-live="polite" class="stack">
        {replayed.value === undefined && state.value === "asked" && (
          <Loaded data={counted.data} fault={counted.fault} onRetry={counted.reload}>
            {() => <Question page={page} count={count} />}
          </Loaded>
        )}
        {counted.data === undefined && soFar.value > 0n && (
          <p class="muted">{tn("replay.soFar", soFar.value)}</p>
        )}
        {state.value === "running" && <p class="muted">{t("replay.running")}</p>}
        {replayed.value !== undefined && <Result page={page} sum={replayed.value} of={count} />}
        {fault.value !== undefined && <FaultNote fault={fault.value} />}
      </div>
    </Dialog>
  );
}

type Page = Pick<ReplayDialogProps, "page">;

function Question({ page, count }: Page & { readonly count: bigint }) {
  if (count === 0n) return <p>{t(`${page}.replay.none`)}</p>;
  return (
    <>
      <p>{tn(`${page}.replay.count`, count)}</p>
      <p class="muted">{t(`${page}.replay.warning`)}</p>
    </>
  );
}

function Result({ page, sum, of }: Page & { readonly sum: Replayed; readonly of: bigint }) {
  const { replayed, refused, incomplete, firstRefusal } = sum;
  return (
    <>
      <p>{tn(`${page}.replay.done`, replayed, { all: formatNumber(of) })}</p>
      {refused > 0n && (
        <p>
          {tn("replay.refused", refused)} {firstRefusal}
        </p>
      )}
      {incomplete > 0n && <p>{tn("replay.incomplete", incomplete)}</p>}
    </>
  );
}
