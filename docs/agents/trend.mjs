/** All in the index while it stands above its mean of a year, else in cash. A whole agent that decides what to hold. */

const YEAR_MS = 365 * 86_400_000;

export const reader = {
  identity: {
    name: "trend",
    snapshot: "none",
    pretrain_cutoff: "none",
    posttrain_cutoff: "none",
    temperature: 0,
    prompt_digest: "none",
    uses_tools: true,
  },
  async answer({ horizon }, tools) {
    const call = async (tool, args) => {
      const reply = await tools.call(tool, { table: "index", ...args });
      if (!reply.ok) throw new Error(reply.fault.message);
      return reply;
    };
    const since = new Date(Date.parse(horizon) - YEAR_MS).toISOString();
    const { value: mean } = await call("aggregate", { measure: "mean", column: "close", since });
    const { rows } = await call("rows", { order: ["-date"], limit: 1 });
    return { kind: "answer", positions: { index: rows[0].body.close > mean ? 1 : 0 } };
  },
};
