import type { ComponentChildren } from "preact";
import type { Fault } from "../rpc/fault.ts";
import { t } from "../texts/texts.ts";
import { FaultNote } from "./fault-note.tsx";

export interface LoadedProps<T> {
  /** Undefined until it is loaded. */
  readonly data: T | undefined;
  readonly fault: Fault | undefined;
  readonly onRetry: () => void;
  readonly children: (data: T) => ComponentChildren;
}

/** Shows data once it is loaded. Before, it shows that it loads; when a load has failed, why, above older data. */
export function Loaded<T>({ data, fault, onRetry, children }: LoadedProps<T>) {
  return (
    <>
      {fault !== undefined && <FaultNote fault={fault} onRetry={onRetry} />}
      {data !== undefined && children(data)}
      {data === undefined && fault === undefined && <p class="muted loading">{t("shell.loading")}</p>}
    </>
  );
}
