import type { ComponentChildren } from "preact";
import type { KeysetPages } from "../rpc/pages.ts";
import { t } from "../texts/texts.ts";
import { Button } from "./button.tsx";

export interface Column<Row> {
  readonly name: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers stand at the end of their column. */
  readonly isNumber?: boolean;
  /** The cell that names the row. */
  readonly isHeading?: boolean;
}

export interface TableProps<Row> {
  /** The name of the table for readers of the screen. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/** A table that scrolls sideways where it does not fit, also by keyboard. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/useSemanticElements lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard.
    <div class="table-scroll" role="group" tabIndex={0} aria-label={caption}>
      <table class="table">
        <caption class="hidden-text">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={column.isNumber ? "end" : ""}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <Cell key={column.name} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<Row>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) {
  if (column.isHeading) return <th scope="row">{column.cell(row)}</th>;
  return <td class={column.isNumber ? "end" : ""}>{column.cell(row)}</td>;
}

/** The way through a list by keyset: there are no page numbers, since nothing counts the list. */
export function Pager<Row>({ pages }: { readonly pages: KeysetPages<Row> }) {
  const atFirst = pages.hasPrevious ? undefined : t("pager.atFirst");
  const atLast = pages.hasNext ? undefined : t(pages.isLoading ? "shell.loading" : "pager.atLast");
  return (
    <nav class="pager" aria-label={t("pager.label")}>
      <Button onClick={pages.first} obstacle={atFirst}>
        {t("pager.first")}
      </Button>
      <Button onClick={pages.previous} obstacle={atFirst}>
        {t("pager.previous")}
      </Button>
      <Button onClick={pages.next} obstacle={atLast}>
        {t("pager.next")}
      </Button>
    </nav>
  );
}
