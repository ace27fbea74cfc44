/** What the page says about a path, beside its figures. */
export interface PathText {
  /** As in `bench/growth/`, which measures it. */
  readonly name: string;
  readonly title: string;
  /** Unit of the work, such as "lines". */
  readonly unit: string;
  /** What is measured, in whole sentences. */
  readonly measured: string;
  /** Why it grows so. */
  readonly reason: string;
  /** Only for a path that grows faster than its work: the largest exponent that it may have, and why. */
  readonly faster?: { readonly upTo: number; readonly why: string };
  /** Where the path ends, before the message that says so. */
  readonly limit: string;
}

/** In the order of the page. */
export const paths: readonly PathText[] = [
  {
    name: "parse-callers",
    title: "Callers of Parse",
    unit: "callers",
    measured:
      "Each caller opens a connection of gRPC, makes 20 calls of 10 lines one after another, and closes it.",
    reason: "Callers share nothing but the parser and the processor.",
    limit:
      "`limits.maxConnectionsPerAddress` (2,500) and `limits.maxConnections` (10,000) close an idle connection for a new one. A call beyond `limits.maxCallsPerAddress` (10,000) is refused before it begins, so that a client may send it again:",
  },
  {
    name: "parse-lines",
    title: "Lines of a Parse call",
    unit: "lines",
    measured: "A call over gRPC with lines of about 270 bytes in the format `json`.",
    reason:
      "A small call is mostly the call itself. From 512 KiB on a worker thread parses, so that other calls do not wait.",
    faster: {
      upTo: 1.25,
      why: "The main thread passes larger messages to the worker and takes its response, which is a third of the time of 10,000 lines. V8 also collects the whole heap for each 64 MiB of new buffers: once or twice for each call of 100,000 lines, mostly in its own thread.",
    },
    limit: "A message of more than 100 MiB (`limits.methods`) is refused before it is read:",
  },
  {
    name: "parse-formats",
    title: "Formats of the parser",
    unit: "formats",
    measured:
      "A call with 1,000 lines, which have all configured formats in turn. Each format has a pattern for the names of its files.",
    reason:
      "The format of an index is found by comparing the patterns in their order, and remembered for 4,096 indexes. Each format is code of its own, which V8 compiles when it has run often: the lines of a thousand formats in turn take longer until then.",
    limit: "The number of formats has no limit of its own; each is compiled at the start.",
  },
  {
    name: "webhook-elements",
    title: "Elements of a webhook batch",
    unit: "elements",
    measured:
      "Signed batches of 450 bytes an element from one sender, one after another, until the inbox has them on disk.",
    reason: "A batch is one request, one signature and one write to the disk, whatever its size.",
    limit: "A channel takes 500 messages in a batch unless `maxMessages` says otherwise:",
  },
  {
    name: "webhook-senders",
    title: "Senders of webhooks",
    unit: "senders",
    measured:
      "Each sender opens a connection and sends ten signed batches of 20 messages, one after another.",
    reason: "Batches that arrive together are written together.",
    limit:
      "As for callers: `limits.maxConnectionsPerAddress` (2,500) closes an idle connection for a new one. When the disk is slower than the senders, batches wait, and those that find the inbox full get HTTP 503 and `the inbox is full`.",
  },
  {
    name: "record-batches",
    title: "Records of a batch",
    unit: "records",
    measured:
      "Batches to `/sync_server`, compressed with gzip, one after another. The CPU time includes loading the records until queries find them; the time by the clock ends with the response.",
    reason:
      "A batch is one request and one write to the disk. Records are loaded about once a second, whatever batches they came in.",
    limit: "A body has at most 50,000 records:",
  },
  {
    name: "record-properties",
    title: "Properties of a record",
    unit: "properties",
    measured: "Batches of 100 records whose properties are numbers, until queries find them.",
    reason:
      "Each property is a column of the table of a day, and a load has a cost of its own. Records of at most 1,024 values are read by the shape of earlier ones. Longer ones are parsed as JSON, which takes the preparing thread about five times as long for each value.",
    limit:
      "A property beyond `events.maxProperties` of its project is dropped and the rest of its record stored. `Track` and `debug: 1` name it, here with a limit of 500:",
  },
  {
    name: "start-events",
    title: "Start of the server",
    unit: "events stored",
    measured:
      "From the start of the process until `/readyz` replies 200 and a query for a day without events is answered, which opens the store. It has a month of events of 200,000 users.",
    reason: "Opening reads the lists of tables and none of their rows.",
    limit:
      "None. A start that cannot open its data ends with a message, and `/readyz` names the check that is missing.",
  },
  {
    name: "load-waiting",
    title: "Events that wait at a start",
    unit: "events waiting",
    measured:
      "A server ended before it loaded what it had accepted. The next one loads it; a second start on the same folder, when nothing waits any more, is subtracted.",
    reason:
      "A load has a cost of its own. Records are loaded in batches of 50,000, so that memory does not grow with what waits.",
    limit:
      "None but the disk: below `events.spool.minFreeBytes` (512 MiB) records are refused with HTTP 503. Queries have a warning while records wait for longer than `events.lag.warnMs`.",
  },
  {
    name: "import-lines",
    title: "Lines of an import",
    unit: "lines",
    measured:
      "`engage import` of one file into an empty data folder, from the start of its process to its end.",
    reason: "The start of the process and opening the store take most of the time of a small file.",
    limit: "None but the disk. An interrupted import prints the `--skip` with which it continues.",
  },
  {
    name: "query-events",
    title: "Events of a query",
    unit: "events",
    measured: "Users of one event of three in ten, by 40 cities and 30 days, without the cache of results.",
    reason:
      "Planning the query for 30 tables and writing its 1,200 numbers cost the same for any number of events. Rows are read by column.",
    limit:
      "The time limit of the query, 60 s unless it sets `timeoutSeconds`, and `events.engine.memoryBytes` with `maxTempBytes` on disk.",
  },
  {
    name: "query-groups",
    title: "Groups of a query",
    unit: "groups",
    measured: "The count of 500,000 events by a property with as many values, over 30 days as one.",
    reason: "Reading the events costs the same for any number of groups.",
    limit: "A query returns 1,000 groups, and at most 10,000 with `limit`; a download has all:",
  },
  {
    name: "query-days",
    title: "Days of a query",
    unit: "days",
    measured:
      "The count of events by day, of which each has 200, over the last days of a project of 1,000 days.",
    reason: "Each day is a table of its own, and a query reads only the days of its range.",
    limit: "A query has at most 20,000 steps of time. Here minutes over 1,000 days:",
  },
  {
    name: "query-properties",
    title: "Properties of a project",
    unit: "properties",
    measured:
      "The count of 50,000 events by one property, over 30 days as one, in projects with that many properties.",
    reason: "A query reads the columns that it names.",
    limit: "`events.maxProperties`, as for the properties of a record.",
  },
  {
    name: "user-list",
    title: "Users of a list",
    unit: "users",
    measured: "The users behind one number, by a condition that this many of 100,000 users meet.",
    reason: "The condition is checked for all users of the project.",
    limit: "A response that is not a download has the first 10,000 users and says so:",
  },
  {
    name: "download-rows",
    title: "Rows of a download",
    unit: "rows",
    measured: "The same users as a file of CSV with three columns.",
    reason: "Rows are written while they are read, so that memory does not grow with them.",
    limit:
      "None. A reader that takes nothing for `analysis.readerStallMs` (60 s) is disconnected, since others wait for its slot.",
  },
  {
    name: "push-recipients",
    title: "Recipients of a push",
    unit: "recipients",
    measured:
      "A task for users who meet a condition, from `CreateTask` to the last request at the receiver, in batches of 100.",
    reason: "A run is prepared and sent in batches, whose cost is the same in any run.",
    limit:
      "An audience by condition has no limit. A list of push ids must fit into one message (`limits.maxMessageBytes`, 16 MiB); a larger one is imported as a cohort. Here 1.2 million ids:",
  },
  {
    name: "deliveries-page",
    title: "Deliveries stored",
    unit: "deliveries",
    measured: "The first 40 dead deliveries, read as the console does; one of twenty is dead.",
    reason:
      "The list begins with the newest delivery. One of twenty waits here, and those are read first: the page costs what it skips. A call reads a bounded part of the list and returns where the next one continues.",
    limit:
      "Delivered batches are kept for a day and dead ones for 14 (`webhook.inbox.retention`). With `webhook.inbox.maxBytes`, or less than `minFreeBytes` of disk, batches get HTTP 503 and `the inbox is full`.",
  },
  {
    name: "inbox-backlog",
    title: "Messages waiting in the inbox",
    unit: "messages",
    measured: "Accepting a batch of 20, leasing as many and settling them, while this many others wait.",
    reason: "The next messages of a target are found by an index.",
    limit: "As for deliveries. Alerts tell of the age of the oldest message.",
  },
  {
    name: "dead-letters-page",
    title: "Dead letters listed",
    unit: "dead letters",
    measured: "The newest 40 dead letters of the parser.",
    reason: "The file is read from its end.",
    limit: "Five files of 64 MiB are kept (`parser.deadLetters`); the oldest is deleted for a new one.",
  },
  {
    name: "dead-letters-count",
    title: "Dead letters counted",
    unit: "dead letters",
    measured: "All dead letters of the parser, counted as a replay would take them.",
    reason:
      "The files are read from their beginning; a call reads 16 MiB and returns where the next one continues.",
    limit: "As for the list.",
  },
];
