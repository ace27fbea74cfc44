import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

export interface Tab {
  readonly name: string;
  readonly title: string;
  readonly content: () => ComponentChildren;
}

export interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** The name of the open tab, which pages keep in the URL. */
  readonly open: string;
  readonly onOpen: (name: string) => void;
}

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Tabs after https://www.w3.org/WAI/ARIA/apg/patterns/tabs/: arrows move between them, Tab enters the panel. */
export function Tabs({ label, tabs, open, onOpen }: TabsProps) {
  const id = useId();
  const at = Math.max(
    0,
    tabs.findIndex(({ name }) => name === open),
  );
  const shown = tabs[at];
  const move = (event: KeyboardEvent) => {
    const step = steps[event.key];
    const next = step === undefined ? undefined : tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onOpen(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  if (shown === undefined) return null;
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label}>
        {tabs.map(({ name, title }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === shown.name}
            aria-controls={`${id}-panel`}
            tabIndex={name === shown.name ? 0 : -1}
            onClick={() => onOpen(name)}
            onKeyDown={move}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${shown.name}`}>
        {shown.content()}
      </div>
    </div>
  );
}
