import type { RestServer } from "./rest-server.ts";

export const json = "application/json";

/** A function that calls the methods of this server. */
export function createCall(server: RestServer) {
  return async (
    method: string,
    path: string,
    body?: NonNullable<RequestInit["body"]>,
    contentType?: string,
  ): Promise<Answer> => {
    const response = await fetch(server.url + path, {
      method,
      ...(body !== undefined && { body }),
      headers: contentType === undefined ? {} : { "content-type": contentType },
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}
