import { Button } from "../controls/button.tsx";
import { formatNumber } from "../texts/formats.ts";
import { t } from "../texts/texts.ts";
import { emptyCompound, emptyFilter, isCompound } from "./edits.ts";
import { FilterFields } from "./filter-fields.tsx";
import { type FilterForm, WordField } from "./filter-form.tsx";
import { elementsAt, type Place, withValue } from "./tree.ts";
import "./filters.css";

/** Filters nest at most this deep. */
const maxDepth = 10;

interface FilterListProps {
  readonly form: FilterForm;
  /** The object with the members `filts` and `relation`. */
  readonly owner: Place;
  /** The event of the metric, whose values are suggested; empty for all. */
  readonly event: string;
  readonly depth?: number;
}

/** Conditions joined by and or or, which may be lists themselves. */
export function FilterList({ form, owner, event, depth = 1 }: FilterListProps) {
  const { tree, tables } = form;
  const table = tables[0]!;
  const filters = elementsAt(tree, [...owner, "filts"]);
  const set = (index: number, value: ReturnType<typeof emptyFilter> | undefined): void =>
    form.change(withValue(tree, [...owner, "filts", index], value)!);
  return (
    <div class="item-list">
      {filters.length > 1 && (
        <WordField
          form={form}
          place={[...owner, "relation"]}
          label={t("filter.relation")}
          missing="and"
          choices={[
            { value: "and", text: t("filter.relation.and") },
            { value: "or", text: t("filter.relation.or") },
          ]}
        />
      )}
      {filters.map((_filter, i) => {
        const place: Place = [...owner, "filts", i];
        return (
          // Filters keep their places.
          <fieldset key={i} class="item">
            <legend>{t("filter", { number: formatNumber(i + 1) })}</legend>
            {isCompound(tree, place) ? (
              <FilterList form={form} owner={place} event={event} depth={depth + 1} />
            ) : (
              <FilterFields form={form} filter={place} event={event} />
            )}
            <div>
              <Button
                kind="quiet"
                label={t("filter.remove", { number: formatNumber(i + 1) })}
                onClick={() => set(i, undefined)}
              >
                {t("form.remove")}
              </Button>
            </div>
          </fieldset>
        );
      })}
      <div class="row">
        <Button onClick={() => set(filters.length, emptyFilter(table))}>{t("filter.add")}</Button>
        {depth < maxDepth && (
          <Button kind="quiet" onClick={() => set(filters.length, emptyCompound(table))}>
            {t("filter.addGroup")}
          </Button>
        )}
      </div>
    </div>
  );
}
