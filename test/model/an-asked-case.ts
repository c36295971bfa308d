/** A case as readers are asked it, for tests of those who ask. */
import type { AskedCase } from "../../src/model/reader.ts";

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
