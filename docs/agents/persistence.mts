/** How often was a day like the last one followed by rain? A whole agent in TypeScript, loaded by the engine itself. */

type Row = { readonly body: { readonly date: string; readonly precipitation?: number | null } };
type Reply =
  | { readonly ok: true; readonly rows: readonly Row[]; readonly truncated?: true }
  | { readonly ok: false; readonly fault: { readonly class: string; readonly message: string } };
type Tools = { call(tool: "rows", args: object): Promise<Reply> };

const DAY_MS = 86_400_000;
const PAGE = 1000;

/** Every row that could be known at the horizon: a reply holds `limit` rows at most, and says when there are more. */
async function* visibleRows(tools: Tools): AsyncGenerator<Row> {
  for (let offset = 0; ; ) {
    const reply = await tools.call("rows", { table: "weather", limit: PAGE, offset });
    if (!reply.ok) throw new Error(reply.fault.message);
    yield* reply.rows;
    offset += reply.rows.length;
    if (!reply.truncated) return;
  }
}

export const reader = {
  identity: {
    name: "persistence-ts",
    snapshot: "none",
    pretrain_cutoff: "none",
    posttrain_cutoff: "none",
    temperature: 0,
    prompt_digest: "none",
    uses_tools: true,
  },
  async answer(_asked: unknown, tools: Tools) {
    const rained = new Map<number, boolean>();
    let last: boolean | undefined;
    for await (const { body } of visibleRows(tools)) {
      if (typeof body.precipitation !== "number") continue;
      last = body.precipitation > 0;
      rained.set(Date.parse(body.date) / DAY_MS, last);
    }
    if (last === undefined) return { kind: "answer", probability: 0.5 };
    let days = 0;
    let wet = 0;
    for (const [day, state] of rained) {
      const next = rained.get(day + 1);
      if (state !== last || next === undefined) continue;
      days++;
      if (next) wet++;
    }
    return { kind: "answer", probability: (1 + wet) / (2 + days) };
  },
};
