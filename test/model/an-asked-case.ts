/** A case as readers are asked it, for tests of those who ask. */
import type { AskedCase, AskedDecision } from "../../src/model/reader.ts";

export const askedCase: AskedCase = {
  id: "rain-2014-06-01",
  repeat: 0,
  kind: "forecast",
  question: "Will it rain?",
  horizon: "2014-06-01T07:00:00Z",
  asked_day: "2014-06-01",
  tables: { weather: { date: "string", precipitation: "number" } },
  answer: "probability",
};

/** A decision among two members that it names itself. */
export const askedDecision: AskedDecision = {
  id: "week-1",
  repeat: 0,
  kind: "decision",
  question: "What to hold?",
  horizon: "2014-06-01T07:00:00Z",
  asked_day: "2014-06-01",
  tables: { prices: { date: "string", open: "number" } },
  answer: "positions",
  leverage: 1,
  window: null,
  universe: null,
  members: ["m1", "m2"],
};
