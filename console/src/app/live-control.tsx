import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../controls/button.tsx";
import { isPaused, type LiveStatus, liveStatus } from "../rpc/live-status.ts";
import type { LiveState } from "../rpc/schedule.ts";
import { formatClock, formatNumber } from "../texts/formats.ts";
import { t } from "../texts/texts.ts";

const tones: Readonly<Record<LiveState, string>> = {
  connecting: "",
  live: "good",
  paused: "warn",
  hidden: "",
  lost: "bad",
};

/** The state of the live view on the screen, with what stops and continues it. */
export function LiveControl() {
  const status = liveStatus.value;
  if (status === undefined) return <span class="live" />;
  const { state, updatedMs } = status;
  return (
    <div class="live">
      <span class={`dot ${tones[state]}`} aria-hidden="true" />
      <span role="status">{state === "lost" ? <Lost status={status} /> : t(`live.${state}`)}</span>
      {updatedMs !== undefined && (
        <span class="muted number">{t("live.updated", { time: formatClock(updatedMs) })}</span>
      )}
      <Button
        kind="quiet"
        isPressed={isPaused.value}
        onClick={() => {
          isPaused.value = !isPaused.value;
        }}
      >
        {t(isPaused.value ? "live.resume" : "live.pause")}
      </Button>
    </div>
  );
}

/** Counts down to the next attempt. */
function Lost({ status }: { readonly status: LiveStatus }) {
  const nowMs = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      nowMs.value = Date.now();
    }, 1_000);
    return () => clearInterval(timer);
  }, [nowMs]);
  const seconds = Math.max(0, Math.ceil(((status.nextMs ?? nowMs.value) - nowMs.value) / 1_000));
  return <>{t("live.lost", { seconds: formatNumber(seconds) })}</>;
}
