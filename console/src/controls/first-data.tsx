import type { Project } from "../../../gen/engage/analysis/v1/catalog_pb.ts";
import { serverUrl } from "../rpc/transport.ts";
import { t } from "../texts/texts.ts";
import { Empty } from "./empty.tsx";

const firstProject = `projects:
  - { id: 1, appids: [my-app], zone: UTC }`;

/** What pages about projects show while there is none. */
export function NoProject() {
  return (
    <Empty title={t("events.noProject")} command={firstProject}>
      <p>{t("events.noProject.do")}</p>
    </Empty>
  );
}

/** What pages about events show before the first one. */
export function NoEvents({ projectId }: Pick<Project, "projectId">) {
  const record = `{"#type":"track","#event_name":"login","#account_id":"ann","properties":{"level":3}}`;
  const command = `echo '${record}' | npx engage-server import --project ${projectId} --url ${serverUrl} -`;
  return (
    <Empty title={t("events.empty")} command={command}>
      <p>{t("events.empty.do")}</p>
    </Empty>
  );
}

/** Signs a message as the platform does and sends it to the channel of the demo. */
const firstMessage = `body='[{"push_id":"ann","params":{"title":"Hi Ann"},"#ops_receipt_properties":{"ops_request_id":"first"}}]'
signature=$(printf %s "$body" | openssl dgst -sha1 -hmac demo-secret | sed 's/.*= //')
curl -H 'content-type: application/json' -H "x-svc-ops-signature: $signature" -d "$body" ${serverUrl}/webhook/demo`;

/** What pages of messages show before the first: how to send one. */
export function NoMessages() {
  return (
    <Empty title={t("overview.empty")} command={firstMessage}>
      <p>{t("overview.empty.do")}</p>
      <p class="muted">{t("overview.empty.readme")}</p>
    </Empty>
  );
}
