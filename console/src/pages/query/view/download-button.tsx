import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../../controls/button.tsx";
import { FaultNote } from "../../../controls/fault-note.tsx";
import { saveCsv } from "../../../controls/file/save-file.ts";
import { type Fault, faultOf } from "../../../rpc/fault.ts";
import { formatNumber } from "../../../texts/formats.ts";
import { t } from "../../../texts/texts.ts";

interface DownloadButtonProps {
  readonly label: string;
  readonly fileName: string;
  readonly download: (signal: AbortSignal, take: (piece: string, rows: number) => void) => Promise<void>;
}

/** Downloads a stream to a file. Says how much there is so far, and ends when it is pressed again. */
export function DownloadButton({ label, fileName, download }: DownloadButtonProps) {
  const rows = useSignal<number | undefined>(undefined);
  const fault = useSignal<Fault | undefined>(undefined);
  const end = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => end.current?.abort(), []);
  const start = async (): Promise<void> => {
    const present = new AbortController();
    end.current = present;
    rows.value = 0;
    fault.value = undefined;
    const parts: string[] = [];
    try {
      await download(present.signal, (piece, count) => {
        parts.push(piece);
        rows.value = count;
      });
      if (!present.signal.aborted) saveCsv(fileName, parts);
    } catch (error) {
      if (!present.signal.aborted) fault.value = faultOf(error);
    }
    rows.value = undefined;
  };
  const isRunning = rows.value !== undefined;
  return (
    <>
      <Button onClick={() => (isRunning ? end.current?.abort() : void start())}>
        <span aria-live="polite">
          {isRunning ? t("query.downloading", { count: formatNumber(rows.value ?? 0) }) : label}
        </span>
      </Button>
      {fault.value !== undefined && <FaultNote fault={fault.value} />}
    </>
  );
}
