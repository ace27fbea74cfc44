import type { ComponentChildren } from "preact";
import { FaultNote } from "../controls/fault-note.tsx";
import type { Fault } from "../rpc/fault.ts";

/** What came of the last call of a form. */
export interface Outcome {
  readonly fault?: Fault;
  /** Sentences of the server about what was saved; undefined if nothing was. */
  readonly warnings?: readonly string[];
}

interface OutcomeNoteProps {
  readonly outcome: Outcome;
  /** What to say of what was saved. */
  readonly saved: string;
  readonly children?: ComponentChildren;
}

/** Says what came of a call, which readers of the screen announce. */
export function OutcomeNote({ outcome: { fault, warnings }, saved, children }: OutcomeNoteProps) {
  return (
    <div aria-live="polite">
      {fault !== undefined && <FaultNote fault={fault} />}
      {warnings !== undefined && (
        <div class={warnings.length > 0 ? "note warn" : "note good"}>
          <strong>{saved}</strong>
          {warnings.map((warning) => (
            <span key={warning}>{warning}</span>
          ))}
          {children}
        </div>
      )}
    </div>
  );
}
