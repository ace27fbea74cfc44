import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

export interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: () => void;
  readonly kind?: "main" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  /** Why the button does nothing at present; undefined if it works. */
  readonly obstacle?: string | undefined;
  /** The name for readers of the screen, where the content alone does not say it. */
  readonly label?: string;
  readonly isPressed?: boolean;
}

/** A button. One that does nothing at present keeps the focus and says why, also when it is pressed. */
export function Button({
  children,
  onClick,
  kind,
  type = "button",
  obstacle,
  label,
  isPressed,
}: ButtonProps) {
  const isAsked = useSignal(false);
  // A later obstacle is not explained before the button is pressed again.
  useEffect(() => {
    isAsked.value = false;
  }, [obstacle, isAsked]);
  const press = (event: Event): void => {
    if (obstacle === undefined) {
      onClick?.();
      return;
    }
    event.preventDefault();
    isAsked.value = true;
  };
  return (
    <>
      <button
        type={type}
        class={kind === undefined ? "button" : `button ${kind}`}
        aria-disabled={obstacle === undefined ? undefined : true}
        title={obstacle}
        aria-label={label}
        aria-pressed={isPressed}
        onClick={press}
      >
        {children}
      </button>
      {obstacle !== undefined && isAsked.value && (
        <span class="muted" role="status">
          {obstacle}
        </span>
      )}
    </>
  );
}
