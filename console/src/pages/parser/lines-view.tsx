import type {
  ExplainedLine,
  ExplainResponse,
  FieldList,
} from "../../../../gen/engage/parser/v1/parser_explainer_pb.ts";
import { Badge } from "../../controls/badge.tsx";
import { JsonView } from "../../controls/json-view.tsx";
import { formatNumber } from "../../texts/formats.ts";
import { t, tn } from "../../texts/texts.ts";

/** Each line with its fields, and its records or the reason why it has none. */
export function LinesView({ response }: { readonly response: ExplainResponse }) {
  const { lines, omittedLines } = response;
  return (
    <div class="parser-lines">
      {lines.length === 0 && <p class="muted">{t("parser.noLines")}</p>}
      {lines.map((line) => (
        <LineView key={line.lineNumber} line={line} />
      ))}
      {omittedLines > 0 && <p class="muted">{tn("parser.omittedLines", omittedLines)}</p>}
    </div>
  );
}

function LineView({ line }: { readonly line: ExplainedLine }) {
  const { lineNumber, index, format, fieldLists, outcome } = line;
  const number = formatNumber(lineNumber + 1);
  return (
    <section class="parser-line" aria-label={t("parser.line", { number })}>
      <header>
        <h3>{t("parser.line", { number })}</h3>
        {index !== undefined && <code>{index}</code>}
        {format !== "" && <span class="muted">{t("parser.line.format", { format })}</span>}
        <OutcomeBadge outcome={outcome} />
      </header>
      {outcome.case === "error" && <p>{outcome.value.message}</p>}
      {outcome.case === "error" && outcome.value.reason === "no_index" && (
        <p class="note">{t("parser.noIndex")}</p>
      )}
      {fieldLists.map((list, at) => (
        // Lists keep their places.
        <FieldsTable key={at} list={list} />
      ))}
      {outcome.case === "records" &&
        outcome.value.json.map((json, at) => (
          // Records keep their places.
          <JsonView key={at} text={json} label={t("parser.record")} />
        ))}
    </section>
  );
}

function OutcomeBadge({ outcome }: Pick<ExplainedLine, "outcome">) {
  if (outcome.case === "error") return <Badge tone="bad">{outcome.value.reason}</Badge>;
  const count = outcome.case === "records" ? outcome.value.json.length : 0;
  return <Badge tone="good">{tn("parser.records", count)}</Badge>;
}

function FieldsTable({ list }: { readonly list: FieldList }) {
  return (
    <details>
      <summary>{tn("parser.fields", list.fields.length)}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard. */}
      <section class="table-scroll" tabIndex={0} aria-label={t("parser.fields.caption")}>
        <table class="table">
          <caption class="hidden-text">{t("parser.fields.caption")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("parser.field")}</th>
              <th scope="col">{t("parser.value")}</th>
            </tr>
          </thead>
          <tbody>
            {list.fields.map(({ name, json }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <JsonView text={json} label={name} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
