/**
 * Names of attributes, by the semantic conventions of OpenTelemetry where they have one:
 * https://opentelemetry.io/docs/specs/semconv/
 */
export const attribute = {
  clientAddress: "client.address",
  dbOperation: "db.operation.name",
  dbSummary: "db.query.summary",
  dbSystem: "db.system.name",
  dbText: "db.query.text",
  errorType: "error.type",
  httpMethod: "http.request.method",
  httpStatus: "http.response.status_code",
  messageCount: "messaging.batch.message_count",
  messageId: "messaging.message.id",
  messagingConsumerGroup: "messaging.consumer.group.name",
  messagingDestination: "messaging.destination.name",
  messagingOperation: "messaging.operation.name",
  messagingOperationType: "messaging.operation.type",
  messagingSystem: "messaging.system.name",
  rpcMethod: "rpc.method",
  rpcStatus: "rpc.status_code",
  rpcSystem: "rpc.system.name",
  serverAddress: "server.address",
  serverPort: "server.port",
} as const;

/** The value of `messaging.system.name` for the inbox. */
export const messagingSystem = "engage";

/** Names of this service's own attributes, for which there is no convention. */
export const ownAttribute = {
  attempt: "engage.attempt",
  batch: "engage.batch",
  caller: "engage.caller",
  dead: "engage.messages.dead",
  done: "engage.messages.done",
  outcome: "engage.outcome",
  project: "engage.project_id",
  protocol: "engage.protocol",
  queryId: "engage.query_id",
  records: "engage.records",
  requestId: "engage.request_id",
  retry: "engage.messages.retry",
  run: "engage.run_id",
  task: "engage.task_id",
} as const;
