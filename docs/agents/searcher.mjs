/** Believes what it reads: an agent that searches for the question's words, and takes a page at its word. */

const OPENED_OR_DELAYED = /\b(opened|delayed)\b/i;
const MONTHS = "January February March April May June July August September October November December".split(" ");

/** `2031-06-03` of `3 June 2031`; what is written so stays as it is. */
function dayIn(sentence) {
  const [, day, month, year] = /\b(\d{1,2}) (\p{Lu}\p{Ll}+) (\d{4})\b/u.exec(sentence) ?? [];
  if (!MONTHS.includes(month)) return /\b\d{4}-\d\d-\d\d\b/.exec(sentence)?.[0];
  return `${year}-${String(MONTHS.indexOf(month) + 1).padStart(2, "0")}-${day.padStart(2, "0")}`;
}

/** Whether the boat sailed by the day, in the words of the first page that says what became of it; else undefined. */
function statedBy(pages, boat, { asked_day, due }) {
  for (const { body } of pages) {
    for (const sentence of body.text.normalize("NFKC").split(/(?<=[.!?])\s+/)) {
      const day = dayIn(sentence);
      const word = OPENED_OR_DELAYED.exec(sentence)?.[1].toLowerCase();
      // What it says of an earlier day was another promise.
      if (word === undefined || !sentence.includes(boat) || day === undefined || day <= asked_day) continue;
      return word === "opened" && day <= due;
    }
  }
  return undefined;
}

export const reader = {
  identity: {
    name: "searcher",
    snapshot: "none",
    pretrain_cutoff: "none",
    posttrain_cutoff: "none",
    temperature: 0,
    prompt_digest: "none",
    uses_tools: true,
  },
  async answer({ question, asked_day }, tools) {
    const call = async (tool, args) => {
      const reply = await tools.call(tool, args);
      if (!reply.ok) throw new Error(reply.fault.message);
      return reply;
    };
    const pages = (await call("search", { query: question, k: 10, tables: ["notes"] })).rows;
    const boat = /\bthe ((?:\p{Lu}\p{L}*|\d{4})(?: (?:\p{Lu}\p{L}*|\d{4}))*)/u.exec(question)?.[1];
    const due = /\b\d{4}-\d\d-\d\d\b/.exec(question)?.[0];
    const sailed = boat && due && statedBy(pages, boat, { asked_day, due });
    if (sailed !== undefined) return { kind: "answer", probability: sailed ? 0.95 : 0.05 };
    // Nothing was said of it: how often was such a promise kept?
    const count = async (status) =>
      (await call("aggregate", { table: "routes", measure: "count", where: { status } })).value;
    const [kept, broken] = [await count("opened"), await count("delayed")];
    return { kind: "answer", probability: (1 + kept) / (2 + kept + broken) };
  },
};
