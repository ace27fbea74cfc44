import type { ComponentChildren } from "preact";
import { hrefOf } from "../../router/router.ts";

/** A link to the page of a dead letter. */
export function LetterLink({ id, text }: { readonly id: string; readonly text: ComponentChildren }) {
  return <a href={hrefOf(["dead-letters", id])}>{text}</a>;
}
