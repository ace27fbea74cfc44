import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

export interface CardProps {
  readonly title: string;
  /** Beside the title. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  /** Without it the content reaches the edges, as tables do. */
  readonly isPadded?: boolean;
}

/** A part of a page with its heading. */
export function Card({ title, actions, children, isPadded = false }: CardProps) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {isPadded ? <div class="body">{children}</div> : children}
    </section>
  );
}
