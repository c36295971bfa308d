/**
 * Holds the better half of a list, by what its members earned in the window, those among them that are gone by now included.
 * `--param universe=survivors`: it looks at those that have a price now and at no others, as if nobody had ever left.
 */

const DAY = 86_400_000;
const PAGE = 10_000;
/** Who has had no price for longer has none now. */
const STALE_DAYS = 7;

function reading({ horizon, window: [since] }, tools) {
  const call = async (tool, args) => {
    const reply = await tools.call(tool, { limit: PAGE, ...args });
    if (!reply.ok) throw new Error(reply.fault.message);
    return reply.rows.map(({ body }) => body);
  };
  const soon = new Date(Date.parse(since) + STALE_DAYS * DAY).toISOString();
  const recent = new Date(Date.parse(horizon) - STALE_DAYS * DAY).toISOString();
  const closes = async (args) => {
    const rows = await call("rows", { table: "prices", ...args });
    return rows.filter(({ close }) => close !== undefined && close !== null);
  };
  return {
    /** Who was on the list at an instant; at the horizon, unless one is given. */
    members: async (table, at) => {
      const rows = await call("members", at === undefined ? { table } : { table, at });
      return [...new Set(rows.map(({ member }) => member))];
    },
    priced: async () => (await closes({ latest: true, since: recent })).map(({ member }) => member),
    /** The last close of each, of a member that is gone too. */
    last: async (members) => {
      const rows = await closes({ latest: true, where: { member: members } });
      return new Map(rows.map(({ member, close }) => [member, close]));
    },
    /** The first close of each in the window. */
    first: async (members) => {
      const found = new Map();
      const note = (rows) => {
        for (const { member, close } of rows) if (!found.has(member)) found.set(member, close);
      };
      note(await closes({ where: { member: members }, since, until: soon, order: ["date"] }));
      for (const member of members.filter((one) => !found.has(one)))
        note(await closes({ where: { member }, since, order: ["date"], limit: 1 }));
      return found;
    },
    /** What holders of a member got beyond its last price; undefined where it is not delisted, or nobody says it yet. */
    delisted: async (member) => (await call("rows", { table: "delistings", where: { member } }))[0]?.return,
  };
}

/** Who is looked at, and who of them can be held. */
async function candidates({ universe, members, window }, of, survivors) {
  if (universe === null || survivors) {
    const all = universe === null ? members : await of.priced();
    return { all, held: all, gone: [] };
  }
  const [then, now] = [await of.members(universe, window[0]), await of.members(universe)];
  const gone = then.filter((member) => !now.includes(member));
  return { all: [...now, ...gone], held: now, gone };
}

async function decide(asked, tools, survivors) {
  const of = reading(asked, tools);
  const { all, held, gone } = await candidates(asked, of, survivors);
  const [first, last] = [await of.first(all), await of.last(all)];
  const earned = new Map(all.map((member) => [member, last.get(member) / first.get(member) - 1]));
  for (const member of gone) {
    const terminal = await of.delisted(member);
    if (terminal !== undefined) earned.set(member, (1 + earned.get(member)) * (1 + terminal) - 1);
  }
  const ranked = all
    .filter((member) => Number.isFinite(earned.get(member)))
    .sort((a, b) => earned.get(b) - earned.get(a) || (a < b ? -1 : 1));
  const best = ranked.slice(0, Math.ceil(ranked.length / 2)).filter((member) => held.includes(member));
  return Object.fromEntries(best.map((member) => [member, 1 / best.length]));
}

export function reader({ universe = "members" }) {
  if (!["members", "survivors"].includes(universe))
    throw new Error(`universe ${universe}: expected members or survivors`);
  return {
    identity: {
      name: "picker",
      snapshot: "none",
      pretrain_cutoff: "none",
      posttrain_cutoff: "none",
      temperature: 0,
      prompt_digest: "none",
      uses_tools: true,
    },
    async answer(asked, tools) {
      return { kind: "answer", positions: await decide(asked, tools, universe === "survivors") };
    },
  };
}
