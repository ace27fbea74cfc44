import { Field, Select } from "../../controls/field.tsx";
import { TimeRangeFields } from "../../controls/time-field/time-range-fields.tsx";
import { setQuery } from "../../router/router.ts";
import { t } from "../../texts/texts.ts";
import type { Filters } from "./filters.ts";
import { ownFilters } from "./kinds.ts";

/** The filters of the list, which are kept in the URL. */
export function FilterForm({ filters }: { readonly filters: Filters }) {
  const names = ["reason", "text", ...ownFilters[filters.kind]] as const;
  return (
    <search class="filters">
      {names.map((name) => (
        <Field
          key={name}
          label={t(`deadLetters.${name}`)}
          value={filters[name]}
          onInput={(text) => setQuery({ [name]: text })}
          {...(name === "text" && {
            limits: t(filters.kind === "webhook" ? "deadLetters.text.ofReason" : "deadLetters.text.limits"),
          })}
        />
      ))}
      <TimeRangeFields
        fromLabel={t("deadLetters.from")}
        untilLabel={t("deadLetters.until")}
        fromMs={filters.fromMs}
        untilMs={filters.untilMs}
      />
      <Select
        label={t("deadLetters.order")}
        value={filters.isOldestFirst ? "oldest" : ""}
        options={[
          { value: "", text: t("deadLetters.order.newest") },
          { value: "oldest", text: t("deadLetters.order.oldest") },
        ]}
        onChange={(value) => setQuery({ order: value })}
      />
    </search>
  );
}
