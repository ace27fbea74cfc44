import type { ComponentChildren } from "preact";
import { Command } from "./copy.tsx";

export interface EmptyProps {
  readonly title: string;
  /** What to do to get the first data. */
  readonly children?: ComponentChildren;
  readonly command?: string;
}

/** What a page shows while there is no data: how to get the first. */
export function Empty({ title, children, command }: EmptyProps) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children}
      {command !== undefined && <Command text={command} />}
    </div>
  );
}
