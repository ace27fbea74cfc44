import { Field, Select } from "../../controls/field.tsx";
import { TimeRangeFields } from "../../controls/time-field/time-range-fields.tsx";
import { setQuery } from "../../router/router.ts";
import { t } from "../../texts/texts.ts";
import type { Filters } from "./filters.ts";
import { stateNames } from "./states.ts";

/** Names that the fields offer. */
export interface Names {
  readonly channels: readonly string[];
  readonly targets: readonly string[];
}

export type FilterName = "channel" | "target" | "state" | "push" | "request" | "reason" | "time";

export interface FilterFormProps {
  readonly filters: Filters;
  readonly names: Names;
  /** The filters that the list has. */
  readonly shown: readonly FilterName[];
}

/** The filters of a list, which are kept in the URL. */
export function FilterForm({ filters, names, shown }: FilterFormProps) {
  return (
    <search class="filters">
      {shown.map((name) => (
        <FilterField key={name} name={name} filters={filters} names={names} />
      ))}
    </search>
  );
}

interface FilterFieldProps extends Omit<FilterFormProps, "shown"> {
  readonly name: FilterName;
}

function FilterField({ name, filters, names }: FilterFieldProps) {
  if (name === "state") return <StateField state={filters.state} />;
  if (name === "time") {
    return (
      <TimeRangeFields
        fromLabel={t("deliveries.from")}
        untilLabel={t("deliveries.until")}
        fromMs={filters.fromMs}
        untilMs={filters.untilMs}
      />
    );
  }
  const suggestions = name === "channel" ? names.channels : name === "target" ? names.targets : undefined;
  const value = name === "push" ? filters.pushId : filters[name];
  return (
    <Field
      label={t(`deliveries.${name}`)}
      value={value}
      onInput={(text) => setQuery({ [name]: text })}
      {...(suggestions !== undefined && { suggestions })}
      {...(name === "reason" && { limits: t("deliveries.reason.limits") })}
    />
  );
}

function StateField({ state }: Pick<Filters, "state">) {
  return (
    <Select
      label={t("deliveries.state")}
      value={state}
      options={["" as const, ...stateNames].map((value) => ({
        value,
        text: t(value === "" ? "deliveries.state.all" : `deliveries.state.${value}`),
      }))}
      onChange={(value) => setQuery({ state: value })}
    />
  );
}
