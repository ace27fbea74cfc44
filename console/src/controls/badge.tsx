import type { ComponentChildren } from "preact";

export type Tone = "good" | "warn" | "bad" | "plain";

/** A state in a word; its colour repeats what the word says. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <span class={`dot ${tone}`} aria-hidden="true" />
      {children}
    </span>
  );
}
