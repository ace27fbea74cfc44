import { expect } from "vitest";
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

/** Fails unless the end of each call that began was reported once. */
export function expectReportedOnce({ started, finished }: RestServer): void {
  expect(finished.length).toBeGreaterThan(0);
  expect(finished).toHaveLength(started.length);
  expect(new Set(finished).size).toBe(finished.length);
  expect(finished.every((record) => record.protocol === "rest")).toBe(true);
}
