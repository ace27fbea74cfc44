import type { InputHTMLAttributes } from "preact";
import { useId } from "preact/hooks";

export interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** The limits of the contract, in words, which stand beside the field. */
  readonly limits?: string;
  /** The fault of the present value. */
  readonly error?: string | undefined;
  readonly type?: "text" | "password" | "number" | "search" | "datetime-local";
  readonly autocomplete?: "off" | "current-password";
  readonly isRequired?: boolean;
  /** Several lines. */
  readonly rows?: number;
}

/** A form field with its label, its limits and its fault, which are read out with it. */
export function Field(props: FieldProps) {
  const { label, value, limits, error, onInput, type = "text", autocomplete = "off" } = props;
  const id = useId();
  const described = [limits !== undefined && `${id}-limits`, error !== undefined && `${id}-error`];
  const shared = {
    id,
    class: "input",
    value,
    required: props.isRequired === true,
    "aria-invalid": error !== undefined,
    "aria-describedby": described.filter(Boolean).join(" ") || undefined,
    onInput: (event: Event) => onInput((event.currentTarget as HTMLInputElement).value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {props.rows === undefined ? (
        <input {...({ ...shared, type, autocomplete } as InputHTMLAttributes<HTMLInputElement>)} />
      ) : (
        <textarea {...shared} rows={props.rows} spellcheck={false} />
      )}
      {limits !== undefined && (
        <span class="limits" id={`${id}-limits`}>
          {limits}
        </span>
      )}
      {error !== undefined && (
        <span class="error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  );
}

export interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChange: (value: string) => void;
  /** Shows the label to readers of the screen alone. */
  readonly isCompact?: boolean;
}

export function Select({ label, value, options, onChange, isCompact = false }: SelectProps) {
  const id = useId();
  return (
    <div class={isCompact ? "" : "field"}>
      <label for={id} class={isCompact ? "hidden-text" : ""}>
        {label}
      </label>
      <select
        id={id}
        class={isCompact ? "input compact" : "input"}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </div>
  );
}
