import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button, type ButtonProps } from "../button.tsx";

export interface DialogButtonProps extends Pick<ButtonProps, "kind"> {
  readonly text: string;
  /** Whether the button is shown. A dialog that is open stays without it. */
  readonly isOffered: boolean;
  /** The dialog, which calls `close` when it is closed. */
  readonly dialog: (close: () => void) => ComponentChildren;
}

/** A button that opens a dialog. */
export function DialogButton({ text, isOffered, dialog, ...look }: DialogButtonProps) {
  const isOpen = useSignal(false);
  const close = (): void => {
    isOpen.value = false;
  };
  return (
    <>
      {isOffered && (
        <Button
          {...look}
          onClick={() => {
            isOpen.value = true;
          }}
        >
          {text}
        </Button>
      )}
      {isOpen.value && dialog(close)}
    </>
  );
}
