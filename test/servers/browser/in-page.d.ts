export function submitForm(argument: { readonly action: string }): Promise<void>;
export function report(argument: {
  readonly target: string;
  readonly record: string;
}): Promise<readonly unknown[]>;
