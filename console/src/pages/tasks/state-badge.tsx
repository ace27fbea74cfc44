import type { TaskState } from "../../../../gen/engage/channel/v1/task_pb.ts";
import { Badge } from "../../controls/badge.tsx";
import { t } from "../../texts/texts.ts";
import { describeState } from "./states.ts";

/** The state of a task in a word. */
export function StateBadge({ state }: { readonly state: TaskState }) {
  const { key, tone } = describeState(state);
  return <Badge tone={tone}>{t(key)}</Badge>;
}
