/** Forecast cases and labels for tests: one that is accepted, and arbitrary ones. */
import fc from "fast-check";
import type { ForecastCaseOnDisk } from "../../src/caseset/forecast-case.ts";
import type { LabelOnDisk } from "../../src/caseset/label.ts";
import { formatInstant } from "../../src/core/instant.ts";

export const caseOnDisk: ForecastCaseOnDisk = {
  id: "rain-2014-06-01",
  kind: "forecast",
  question: "Will it rain in Seattle on 2014-06-01?",
  freeze: "2014-06-01T07:00:00Z",
  reads: ["weather"],
  resolution: {
    statement: "precipitation > 0",
    source: "weather",
    vintage: "first",
    at: "2014-06-02T07:00:00Z",
  },
  label_interval: ["2014-06-01T07:00:00Z", "2014-06-02T06:59:59.999999Z"],
  answer: "probability",
  minimum_lead: "PT1H",
  leak_threshold: 3,
  tags: ["rain"],
  cluster: "2014-W22",
};

export const labelOnDisk: LabelOnDisk = {
  case: "rain-2014-06-01",
  outcome: 0,
  vintage: "first",
  resolved_at: "2014-06-02T07:00:00Z",
  available_time: "2014-06-02T07:00:00Z",
};

const micros = fc.integer({ min: -5e15, max: 5e15 });
const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 });
const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,30}$/);

/** With a letter or a digit, so that a text may have it. */
const findable = text.map((some) => `${some}a`);

/** Any case in its one spelling: optional keys present or absent, instants in order. */
export const anyCase: fc.Arbitrary<ForecastCaseOnDisk> = fc
  .record({
    base: fc.record({
      id,
      question: text,
      reads: fc.uniqueArray(text, { maxLength: 4 }),
      statement: text,
      vintage: fc.oneof(fc.constant("first"), micros.map(formatInstant)),
    }),
    freeze: micros,
    wait: fc.integer({ min: 0, max: 1e12 }),
    start: micros,
    length: fc.integer({ min: 0, max: 1e12 }),
    optional: fc.record(
      {
        minimum_lead: fc.constantFrom("P1D", "PT60M", "P0D", "P1M"),
        leak_threshold: fc.integer({ min: 0, max: 4 }),
        reference: text,
        subject: fc.record(
          {
            entity: findable,
            values: fc.oneof(
              fc.constant("number" as const),
              fc.uniqueArray(findable, { minLength: 1, maxLength: 4 }),
            ),
          },
          { noNullPrototype: true },
        ),
        tags: fc.array(text, { minLength: 1, maxLength: 4 }),
        cluster: text,
      },
      { requiredKeys: [] },
    ),
    source: fc.option(text),
  })
  .map(({ base, freeze, wait, start, length, optional, source }) => ({
    id: base.id,
    kind: "forecast" as const,
    question: base.question,
    freeze: formatInstant(freeze),
    reads: base.reads,
    resolution: {
      statement: base.statement,
      ...(source === null ? {} : { source }),
      vintage: base.vintage,
      at: formatInstant(freeze + wait),
    },
    label_interval: [formatInstant(start), formatInstant(start + length)],
    answer: "probability" as const,
    ...optional,
  }));
