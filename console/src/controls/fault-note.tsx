import type { Fault } from "../rpc/fault.ts";
import { t } from "../texts/texts.ts";
import { Button } from "./button.tsx";

/** An error as the server words it, with what to do. */
export function FaultNote({ fault, onRetry }: { readonly fault: Fault; readonly onRetry?: () => void }) {
  return (
    <div class="note bad" role="alert">
      <strong>{fault.message}</strong>
      <span>{t(fault.advice as "fault.internal")}</span>
      {onRetry !== undefined && (
        <div>
          <Button onClick={onRetry}>{t("fault.retry")}</Button>
        </div>
      )}
    </div>
  );
}
