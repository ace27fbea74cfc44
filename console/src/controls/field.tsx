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
  readonly type?: "text" | "password" | "number" | "search" | "date" | "datetime-local";
  readonly autocomplete?: "off" | "current-password";
  readonly isRequired?: boolean;
  /** Several lines. */
  readonly rows?: number;
  /** Values that the field offers; others are valid too. */
  readonly suggestions?: readonly string[];
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
    ...(props.suggestions !== undefined && { list: `${id}-values` }),
    required: props.isRequired === true,
    "aria-invalid": error !== undefined,
    "aria-describedby": described.filter(Boolean).join(" ") || undefined,
    onInput: (event: Event) => onInput((event.currentTarget as HTMLInputElement).value),
  };
  // Times have seconds.
  const ofInput = { type, autocomplete, step: type === "datetime-local" ? 1 : undefined };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {props.rows === undefined ? (
        <input {...({ ...shared, ...ofInput } as InputHTMLAttributes<HTMLInputElement>)} />
      ) : (
        <textarea {...shared} rows={props.rows} spellcheck={false} />
      )}
      {props.suggestions !== undefined && <Suggestions id={`${id}-values`} values={props.suggestions} />}
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

function Suggestions({ id, values }: { readonly id: string; readonly values: readonly string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}

export interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChange: (value: string) => void;
  /** Shows the label to readers of the screen alone. */
  readonly isCompact?: boolean;
  /** The fault of the present value. */
  readonly error?: string | undefined;
}

export function Select({ label, value, options, onChange, isCompact = false, error }: SelectProps) {
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
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
      {error !== undefined && (
        <span class="error" id={`${id}-error`}>
          {error}
        </span>
      )}
    </div>
  );
}
