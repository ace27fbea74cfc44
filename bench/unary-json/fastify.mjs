// The peer: both routes as a fastify service would have them, with schemas for what comes in and goes out.
// JavaScript, because fastify is installed for the benchmarks only and the type checker must do without it.
import { fastify } from "fastify";

const app = fastify();
const parse = { type: "object", required: ["content"], properties: { content: { type: "string" } } };
const book = {
  type: "object",
  properties: {
    name: { type: "string" },
    id: { type: "string" },
    displayName: { type: "string" },
    genre: { enum: ["GENRE_UNSPECIFIED", "GENRE_FICTION", "GENRE_SCIENCE"] },
    keywords: { type: "object", additionalProperties: { type: "number" } },
    shop: { type: "string" },
  },
};

app.post("/proto.Parser/Parse", { schema: { body: parse, response: { 200: parse } } }, async (request) => {
  const content = Buffer.from(request.body.content, "base64");
  return { content: content.toString("base64") };
});
app.post(
  "/v1/shelves/:shelf/books",
  { schema: { body: book, response: { 200: book } } },
  async (request) => ({
    ...request.body,
    name: `shelves/${request.params.shelf}/books/1`,
  }),
);
app.listen({ host: "127.0.0.1", port: Number(process.env["PORT"]) });
process.once("SIGTERM", () => process.exit(0));
