import { hrefOf } from "../../router/router.ts";

/** A link to the page of a delivery. */
export function DeliveryLink({ id, text }: { readonly id: string; readonly text: string }) {
  return <a href={hrefOf(["deliveries", "delivery", id])}>{text}</a>;
}

/** A link to the page of a batch. */
export function BatchLink({ id, text = id }: { readonly id: string; readonly text?: string }) {
  return <a href={hrefOf(["deliveries", "batch", id])}>{text}</a>;
}

const maxLength = 60;

/** Returns a push id short enough for a link. The page of the delivery shows all of it. */
export function shortOf(pushId: string): string {
  return pushId.length > maxLength ? `${pushId.slice(0, maxLength)}…` : pushId;
}
