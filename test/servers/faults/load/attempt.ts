import type { Engage } from "../../webhook/engage.ts";

/** A sender which gets no response for this time tries again. */
export const attemptMs = 5_000;

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Posts once; undefined without a complete response. */
export async function attempt(
  { port }: Engage,
  path: string,
  {
    body,
    headers,
  }: { readonly body: Uint8Array<ArrayBuffer>; readonly headers: Readonly<Record<string, string>> },
): Promise<Answer | undefined> {
  try {
    const signal = AbortSignal.timeout(attemptMs);
    const url = `http://127.0.0.1:${port}${path}`;
    const response = await fetch(url, { method: "POST", body, headers, signal });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}
