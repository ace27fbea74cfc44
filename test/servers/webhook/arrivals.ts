import type { TestHttpServer } from "../../services/webhook/targets/http-server.ts";

/** How often each push id has come to the target. */
export function arrivalsAt(target: TestHttpServer): ReadonlyMap<string, number> {
  const arrivals = new Map<string, number>();
  const { answer } = target;
  target.answer = (response, call) => {
    const { push_id } = JSON.parse(call.body) as { push_id: string };
    arrivals.set(push_id, (arrivals.get(push_id) ?? 0) + 1);
    answer(response, call);
  };
  return arrivals;
}
