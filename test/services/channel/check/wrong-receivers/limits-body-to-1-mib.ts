import { createReceiver } from "../receiver.ts";

/** As a proxy with its defaults does. */
export const receiver = createReceiver({
  refuse: ({ body }) =>
    body.length > 1_048_576 ? { status: 413, text: "<html>Request Entity Too Large</html>" } : undefined,
});
