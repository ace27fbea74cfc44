import type { JsonValue } from "@bufbuild/protobuf";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { AnalysisProxy } from "../../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import type { EventQuery } from "../../../../../gen/engage/analysis/v1/query_pb.ts";
import type { User, UserList } from "../../../../../gen/engage/analysis/v1/result_pb.ts";
import { Button } from "../../../controls/button.tsx";
import { Card } from "../../../controls/card.tsx";
import { Loaded } from "../../../controls/loaded.tsx";
import { type Column, Table } from "../../../controls/table.tsx";
import { type Point, usersFileQuery, usersQuery } from "../../../results/snapshot.ts";
import { rowName, valueText } from "../../../results/words.ts";
import { useLoaded } from "../../../rpc/load-once.ts";
import { clientOf } from "../../../rpc/transport.ts";
import { t, tn } from "../../../texts/texts.ts";
import { downloadUsers } from "../data/downloads.ts";
import { partOf } from "../result/parts.ts";
import { DownloadButton } from "./download-button.tsx";
import { PartPager } from "./part-pager.tsx";

const client = clientOf(AnalysisProxy);
const usersPerPart = 50;
/** A file may have more columns than a table that can be read. */
const maxShownColumns = 12;
const maxFileColumns = 500;

interface UsersCardProps {
  readonly query: EventQuery;
  readonly point: Point;
  readonly onClose: () => void;
}

/** The users behind a number, by the query and the days of its result. */
export function UsersCard({ query, point, onClose }: UsersCardProps) {
  const card = useRef<HTMLDivElement>(null);
  const { data, fault, reload } = useLoaded("users", async (signal) => {
    const response = await client.listEventUsers({ query: usersQuery(query, point) }, { signal });
    return response.data;
  });
  useEffect(() => card.current?.focus(), []);
  const value = valueText(point.value, point.row.format);
  const title = t("query.users.of", { name: rowName(point.row), bucket: point.bucket, value });
  return (
    <div ref={card} tabIndex={-1} class="query-users">
      <Card
        title={title}
        actions={
          <Button kind="quiet" onClick={onClose}>
            {t("dialog.close")}
          </Button>
        }
      >
        <Loaded data={data} fault={fault} onRetry={reload}>
          {(list) => <Users list={list} title={title} query={query} point={point} />}
        </Loaded>
      </Card>
    </div>
  );
}

interface UsersProps extends Omit<UsersCardProps, "onClose"> {
  readonly list: UserList;
  readonly title: string;
}

const ids = ["#user_id", "#account_id", "#distinct_id"] as const;

function Users({ list, title, query, point }: UsersProps) {
  const first = useSignal(0);
  const { datalist, columMeta, info } = list;
  const properties = Object.keys(columMeta)
    .filter((name) => !ids.includes(name as (typeof ids)[number]))
    .sort();
  const columns = [...ids, ...properties];
  return (
    <>
      <div class="query-line row">
        <span role="status">{tn("query.users.count", datalist.length)}</span>
        <DownloadButton
          label={t("query.users.download")}
          fileName="users.csv"
          download={(signal, take) =>
            downloadUsers(usersFileQuery(query, point, columns.slice(0, maxFileColumns)), signal, take)
          }
        />
      </div>
      {info?.warnings.map(({ message }) => (
        <p key={message} class="query-line muted">
          {message}
        </p>
      ))}
      {datalist.length > 0 && (
        <Table
          caption={title}
          columns={columns.slice(0, maxShownColumns).map((name) => columnOf(name, columMeta[name]))}
          rows={partOf(datalist, first.value, usersPerPart)}
          keyOf={({ userId }) => userId}
        />
      )}
      {columns.length > maxShownColumns && <p class="query-line muted">{t("query.users.columns")}</p>}
      <div class="query-line">
        <PartPager
          label={t("query.users")}
          first={first.value}
          size={usersPerPart}
          count={datalist.length}
          onFirst={(next) => {
            first.value = next;
          }}
        />
      </div>
    </>
  );
}

function columnOf(name: string, displayName: string | undefined): Column<User> {
  return {
    name,
    title: displayName || name,
    isHeading: name === "#user_id",
    cell: (user) => cellText(user, name),
  };
}

function cellText(user: User, name: string): string {
  switch (name) {
    case "#user_id":
      return user.userId;
    case "#account_id":
      return user.accountId ?? "";
    case "#distinct_id":
      return user.distinctId ?? "";
    default:
      return textOf((user.properties as Readonly<Record<string, JsonValue>> | undefined)?.[name]);
  }
}

function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
