/** Times an index by one of eight simple rules: `--param rule=average --param months=10`. */

const ENTITY = "index";
const DAY = 86_400_000;

/** What a rule reads: figures over the rows that were known at the horizon. */
function readingsOf({ horizon }, tools) {
  const call = async (tool, args) => {
    const reply = await tools.call(tool, { table: ENTITY, ...args });
    if (!reply.ok) throw new Error(reply.fault.message);
    return reply;
  };
  const back = (days) => new Date(Date.parse(horizon) - days * DAY).toISOString();
  const monthsBack = (months) => {
    const at = new Date(horizon);
    at.setUTCMonth(at.getUTCMonth() - months);
    return at.toISOString();
  };
  const closes = async (args) => (await call("rows", { order: ["-date"], ...args })).rows.map(({ body }) => body.close);
  return {
    back,
    monthsBack,
    /** The last close, of all rows or of those until an instant. */
    last: async (until) => (await closes({ limit: 1, ...(until === undefined ? {} : { until }) }))[0],
    /** The newest first. */
    closes: (count) => closes({ limit: count }),
    measure: async (measure, since) => (await call("aggregate", { measure, column: "close", since })).value,
  };
}

const RULES = {
  hold: async () => 1,
  average: async (of, { months }) =>
    (await of.last()) > (await of.measure("mean", of.monthsBack(months))) ? 1 : 0,
  momentum: async (of, { months }) => ((await of.last()) > (await of.last(of.monthsBack(months))) ? 1 : 0),
  reversal: async (of, { months }) => ((await of.last()) < (await of.last(of.monthsBack(months))) ? 1 : 0),
  cross: async (of, { short, long }) =>
    (await of.measure("mean", of.back(short))) > (await of.measure("mean", of.back(long))) ? 1 : 0,
  breakout: async (of, { days, within }) =>
    (await of.last()) >= (1 - within / 100) * (await of.measure("max", of.back(days))) ? 1 : 0,
  volatility: async (of, { days, target }) => {
    const closes = await of.closes(days + 1);
    const returns = closes.slice(1).map((before, i) => closes[i] / before - 1);
    const mean = returns.reduce((sum, one) => sum + one, 0) / returns.length;
    const variance = returns.reduce((sum, one) => sum + (one - mean) * (one - mean), 0) / (returns.length - 1);
    return Math.min(1, target / 100 / Math.sqrt(252 * variance));
  },
  season: async (_, { from, to }, { asked_day }) => {
    const month = Number(asked_day.slice(5, 7));
    return (from <= to ? month >= from && month <= to : month >= from || month <= to) ? 1 : 0;
  },
};

export function reader({ rule, ...params }) {
  const decide = RULES[rule];
  if (decide === undefined) throw new Error(`rule ${rule}: expected one of ${Object.keys(RULES).join(", ")}`);
  const numbers = Object.fromEntries(Object.entries(params).map(([key, value]) => [key, Number(value)]));
  return {
    identity: {
      name: "timer",
      snapshot: "none",
      pretrain_cutoff: "none",
      posttrain_cutoff: "none",
      temperature: 0,
      prompt_digest: "none",
      uses_tools: true,
    },
    async answer(asked, tools) {
      const weight = await decide(readingsOf(asked, tools), numbers, asked);
      return { kind: "answer", positions: { [ENTITY]: weight } };
    },
  };
}
