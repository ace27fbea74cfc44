import type { FilterForm } from "../../../filters/filter-form.tsx";
import type { Names } from "../data/names.ts";

/** What every part of the form works on. */
export interface QueryForm extends FilterForm {
  readonly names: Names;
}
