import { createReceiver } from "../receiver.ts";

/** The execution of a task is taken for its batch. */
export const receiver = createReceiver({ keyOf: ({ ops_task_exec_detail_id: id }) => id });
