import type { ExplainResponse, FramingRole } from "../../../../gen/engage/parser/v1/parser_explainer_pb.ts";
import { type Column, Table } from "../../controls/table.tsx";
import { formatNumber } from "../../texts/formats.ts";
import { t, tn } from "../../texts/texts.ts";
import { roleName, type ShownToken, shownTokens } from "./content.ts";

/** Tokens that are shown: more would only make the page slow. */
const maxTokens = 500;

const roleText = (role: FramingRole): string => t(`parser.role.${roleName(role)}`);

/** How the content is split, once in its own order and once as a table. */
export function FramingView({
  content,
  response,
}: {
  readonly content: Uint8Array;
  readonly response: ExplainResponse;
}) {
  const tokens = shownTokens(content, response.tokens.slice(0, maxTokens));
  const omitted = response.omittedTokens + response.tokens.length - tokens.length;
  const columns: readonly Column<ShownToken>[] = [
    {
      name: "line",
      title: t("parser.token.line"),
      isNumber: true,
      cell: ({ line }) => formatNumber(line + 1),
    },
    {
      name: "offset",
      title: t("parser.token.offset"),
      isNumber: true,
      cell: ({ offset }) => formatNumber(offset),
    },
    {
      name: "length",
      title: t("parser.token.length"),
      isNumber: true,
      cell: ({ length }) => formatNumber(length),
    },
    { name: "role", title: t("parser.token.role"), cell: ({ role }) => roleText(role) },
    {
      name: "bytes",
      title: t("parser.token.bytes"),
      isHeading: true,
      cell: ({ text }) => <code>{text}</code>,
    },
  ];
  return (
    <div class="parser-framing">
      <p class="tokens">
        {tokens.map(({ offset, role, text }) => (
          <span
            key={offset}
            class={`token ${roleName(role)}`}
            title={`${formatNumber(offset)}: ${roleText(role)}`}
          >
            {text}
          </span>
        ))}
      </p>
      <Table
        caption={t("parser.tab.framing")}
        columns={columns}
        rows={tokens}
        keyOf={({ offset }) => String(offset)}
      />
      {omitted > 0 && <p class="muted">{tn("parser.omittedTokens", omitted)}</p>}
    </div>
  );
}
