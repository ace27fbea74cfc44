import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Button } from "../../../controls/button.tsx";
import { Checkbox } from "../../../controls/checkbox.tsx";
import { formatNumber } from "../../../texts/formats.ts";
import { t } from "../../../texts/texts.ts";
import type { Runner } from "../data/runner.ts";

interface RunBarProps {
  readonly runner: Runner;
  readonly isAutomatic: boolean;
  readonly onAutomatic: (isAutomatic: boolean) => void;
  /** Undefined while the query cannot run. */
  readonly onRun: (() => void) | undefined;
  /** What is missing before it can. */
  readonly lack: string | undefined;
}

/** Runs and cancels the query, and says how long it has run. */
export function RunBar({ runner, isAutomatic, onAutomatic, onRun, lack }: RunBarProps) {
  const startedMs = runner.startedMs.value;
  return (
    <div class="query-bar">
      <div class="row">
        <Button kind="main" obstacle={onRun === undefined ? lack : undefined} onClick={() => onRun?.()}>
          {t("query.run")}
        </Button>
        <Button
          obstacle={startedMs === undefined ? t("query.notRunning") : undefined}
          onClick={runner.cancel}
        >
          {t("query.cancel")}
        </Button>
        <Checkbox label={t("query.automatic")} isChecked={isAutomatic} onChange={onAutomatic} />
      </div>
      <p role="status" class="muted number">
        {startedMs === undefined ? (lack ?? tookText(runner)) : <Elapsed startedMs={startedMs} />}
      </p>
    </div>
  );
}

const seconds = (ms: number): string =>
  formatNumber(ms / 1_000, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

function tookText({ run }: Runner): string {
  return run.value === undefined ? "" : t("query.took", { seconds: seconds(run.value.tookMs) });
}

function Elapsed({ startedMs }: { readonly startedMs: number }) {
  const nowMs = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      nowMs.value = Date.now();
    }, 500);
    return () => clearInterval(timer);
  }, [nowMs]);
  return <>{t("query.running", { seconds: seconds(Math.max(0, nowMs.value - startedMs)) })}</>;
}
