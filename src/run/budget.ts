/** Budgets: what a run may spend on models, counted as it is spent; reached, the run stops and can be resumed. */
import type { Usage } from "../model/reader.ts";
import type { Entry } from "./entry.ts";

/** null: no bound. Calls with the tries that were made again; tokens in and out together; cost in the endpoint's currency. */
export type Budget = {
  readonly model_calls: number | null;
  readonly tokens: number | null;
  readonly cost: number | null;
};

export interface Spending {
  /** `told`: an answer came, and with it whatever its sender says of its use: a bound on what nobody tells cannot hold. */
  add(usage: Usage | null, told?: boolean): void;
  /** Which bound is reached, with both values, or null. What is in flight may still come over it. */
  reached(): string | null;
  readonly cost: () => number;
}

export function createSpending(budget: Budget | null, spent: Spent): Spending {
  const total = { ...spent };
  let untold: string | null = null;
  return {
    add(usage, told = false) {
      const more = spentBy(usage);
      for (const name of names) {
        total[name] += more[name];
        if (told && (budget?.[name] ?? null) !== null && isUntold(name, usage))
          untold ??= `budget of ${budget?.[name]} ${words[name]}: the reader does not tell how many it used`;
      }
    },
    reached() {
      if (untold !== null) return untold;
      const name = names.find((one) => (budget?.[one] ?? Number.POSITIVE_INFINITY) <= total[one]);
      return name === undefined ? null : `budget of ${budget?.[name]} ${words[name]}: ${total[name]} spent`;
    },
    cost: () => total.cost,
  };
}

const names = ["model_calls", "tokens", "cost"] as const;

function isUntold(name: (typeof names)[number], usage: Usage | null): boolean {
  if (name !== "tokens") return (usage?.[name] ?? null) === null;
  return (usage?.input_tokens ?? null) === null && (usage?.output_tokens ?? null) === null;
}

const words = { model_calls: "model calls", tokens: "tokens", cost: "cost" } as const;

export type Spent = { readonly model_calls: number; readonly tokens: number; readonly cost: number };
export const nothingSpent: Spent = { model_calls: 0, tokens: 0, cost: 0 };

const spentBy = (usage: Usage | null): Spent => ({
  model_calls: (usage?.model_calls ?? 0) + (usage?.retries ?? 0),
  tokens: (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0),
  cost: usage?.cost ?? 0,
});

/** What a record says was spent, its abandoned attempts too: by its model calls where there are any, else as reported. */
export function spentOf(entries: Iterable<Entry>): Spent {
  const total = { ...nothingSpent };
  const add = (more: Spent) => {
    for (const name of Object.keys(total) as (keyof Spent)[]) total[name] += more[name];
  };
  const called = new Set<string>();
  for (const entry of entries) {
    const attempt = `${entry.case}\n${entry.arm}\n${entry.repeat}\n${entry.attempt}`;
    if (entry.kind === "model" || entry.kind === "judge") {
      if (entry.kind === "model") called.add(attempt);
      if (!entry.cached) add(spentBy(entry.usage));
    } else if (isAttempt(entry) && !called.has(attempt)) add(spentBy(entry.usage));
  }
  return total;
}

const isAttempt = (entry: Entry): entry is Entry & { kind: "answer" | "decline" | "fault" } =>
  entry.kind === "answer" || entry.kind === "decline" || entry.kind === "fault";
