export function submitForm(argument: { readonly action: string }): Promise<void>;
export function report(argument: {
  readonly target: string;
  readonly record: string;
}): Promise<readonly unknown[]>;

export function searchDocs(
  text: string,
): Promise<{ readonly state: string; readonly links: readonly string[] }>;
export function violationsOf(url: string): Promise<readonly string[]>;
export function chartsOf(
  none: undefined,
): Promise<readonly { readonly url: string; readonly width: number }[]>;
export function strokeOf(selector: string): string;
