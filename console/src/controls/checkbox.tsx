import { useId } from "preact/hooks";

export interface CheckboxProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
  /** What it means, which is read out with it. */
  readonly hint?: string | undefined;
}

export function Checkbox({ label, isChecked, onChange, hint }: CheckboxProps) {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={isChecked}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <span class="limits" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}
