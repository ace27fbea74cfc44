import { type ComponentChildren, Fragment } from "preact";

/** What is known of a thing, by its name in the chosen language. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** A list of facts, without those whose value is unknown or empty. */
export function FactList({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="fact-list">
      {facts
        .filter(([, value]) => value !== undefined && value !== "" && value !== false)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}
