import { computed, effect, signal } from "@preact/signals";
import { unauthenticated } from "../rpc/transport.ts";

/** The state of the session, as the server returns it. */
export interface SessionState {
  /** Whether calls need a key. */
  readonly required: boolean;
  readonly name?: string;
  /** A key with read access changes nothing: pages hide what does. */
  readonly access?: "read" | "write";
  readonly endMs?: number;
}

/** Undefined until the server has responded. */
export const session = signal<SessionState | undefined>(undefined);

export const isSignInNeeded = computed(
  () => session.value?.required === true && session.value.name === undefined,
);

/** Whether pages show what changes something. */
export const mayWrite = computed(() => session.value?.access !== "read");

const path = "./session";

/** Asks for the state now and whenever a call is refused for want of a key. */
export function followSession(): void {
  effect(() => {
    unauthenticated.value;
    void refresh();
  });
}

async function refresh(): Promise<void> {
  const response = await fetch(path, { cache: "no-store" }).catch(() => undefined);
  if (response?.ok) session.value = (await response.json()) as SessionState;
}

/** Signs in; returns the server's message if that fails, and nothing if the server cannot be reached. */
export async function signIn(key: string): Promise<{ readonly problem?: string }> {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key }),
  });
  const body = (await response.json()) as SessionState & { readonly message?: string };
  if (!response.ok) return { problem: body.message ?? response.statusText };
  session.value = body;
  return {};
}

export async function signOut(): Promise<void> {
  await fetch(path, { method: "DELETE" });
  await refresh();
}
