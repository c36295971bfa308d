/** How often was a day like the last one followed by rain? An agent that is a client of the Model Context Protocol. */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [command, ...args] = process.argv.slice(2); // the server's command: blindcast serve …
const client = new Client({ name: "persistence-mcp", version: "1" });
await client.connect(new StdioClientTransport({ command, args, stderr: "inherit", env: { ...process.env } }));

async function call(name, given = {}) {
  const { content, isError } = await client.callTool({ name, arguments: given });
  const said = JSON.parse(content[0].text);
  if (isError) throw new Error(said.fault.message);
  return said;
}

const { question, horizon } = await call("question");
console.error(`${question} It is ${horizon}.`);

const rained = new Map();
let last;
for (let offset = 0; ; ) {
  const { rows, truncated } = await call("rows", { table: "weather", limit: 1000, offset });
  for (const { body } of rows) {
    if (typeof body.precipitation !== "number") continue;
    last = body.precipitation > 0;
    rained.set(Date.parse(body.date) / 86_400_000, last);
  }
  offset += rows.length;
  if (!truncated) break;
}
const following = [...rained].flatMap(([day, state]) => {
  const next = rained.get(day + 1);
  return state === last && next !== undefined ? [next] : [];
});
const probability = last === undefined ? 0.5 : (1 + following.filter(Boolean).length) / (2 + following.length);
await call("answer", { probability }); // heard when the run is written
await client.close();
