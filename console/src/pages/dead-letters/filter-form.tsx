import { Field, Select } from "../../controls/field.tsx";
import { TimeField } from "../../controls/time-field/time-field.tsx";
import { writeMoment } from "../../router/moment.ts";
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
      <TimeField
        label={t("deadLetters.from")}
        ms={filters.fromMs}
        onChange={(ms) => setQuery({ from: writeMoment(ms) })}
      />
      <TimeField
        label={t("deadLetters.until")}
        ms={filters.untilMs}
        onChange={(ms) => setQuery({ until: writeMoment(ms) })}
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
