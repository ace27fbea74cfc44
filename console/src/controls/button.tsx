import type { ComponentChildren } from "preact";

export interface ButtonProps {
  readonly children: ComponentChildren;
  readonly onClick?: () => void;
  readonly kind?: "main" | "danger" | "quiet";
  readonly type?: "button" | "submit";
  readonly isDisabled?: boolean;
  /** The name for readers of the screen, where the content alone does not say it. */
  readonly label?: string;
  readonly isPressed?: boolean;
}

export function Button({
  children,
  onClick,
  kind,
  type = "button",
  isDisabled,
  label,
  isPressed,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={kind === undefined ? "button" : `button ${kind}`}
      disabled={isDisabled === true}
      aria-label={label}
      aria-pressed={isPressed}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
