import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "../../texts/texts.ts";
import { Button } from "../button.tsx";

export interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
  /** The button that does it; without one the dialog is for reading. */
  readonly action?: { readonly text: string; readonly isDanger?: boolean; readonly run: () => void };
}

/** A dialog above the page. The browser keeps the focus inside, closes it with Escape and gives the focus back. */
export function Dialog({ title, children, onClose, action }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => element.current?.showModal(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    action?.run();
  };
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id={id}>{title}</h2>
        {children}
        <div class="dialog-actions">
          <Button onClick={() => element.current?.close()}>
            {t(action === undefined ? "dialog.close" : "dialog.cancel")}
          </Button>
          {action !== undefined && (
            <Button type="submit" kind={action.isDanger ? "danger" : "main"}>
              {action.text}
            </Button>
          )}
        </div>
      </form>
    </dialog>
  );
}
