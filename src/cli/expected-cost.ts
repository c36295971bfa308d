/** What a run is expected to use, told before it is begun, and asked about where the profile wants to be asked. */
import { refuse } from "../core/refusal.ts";
import type { Estimate, ReaderSource } from "../model/reader.ts";
import type { Profile } from "../profile/profile.ts";
import { type Check, trajectoryCount } from "../run/preflight.ts";
import { printWords } from "./print.ts";

/** What it will use, as far as anybody knows; refuses CostUnconfirmed where the profile asks, and nobody has said yes. */
export function expectedCost(
  { estimate: of, adapter }: Pick<ReaderSource, "estimate" | "adapter">,
  profile: Profile,
  yes: boolean,
): Check {
  const costs = adapter !== undefined; // what is built in calls nobody
  return (plan) => {
    const tell = useOf(of, trajectoryCount(plan));
    if (tell !== null) printWords(`expected of the whole run: ${tell.words}`);
    const { confirmAbove } = profile;
    if (confirmAbove === null || yes || !costs || (tell?.cost ?? Number.POSITIVE_INFINITY) <= confirmAbove)
      return;
    const found = tell?.costWords ?? "unknown: nobody gives an estimate";
    refuse("CostUnconfirmed", { place: profile.place, found, limit: String(confirmAbove) });
  };
}

function useOf(of: Estimate | undefined, count: number) {
  if (of === undefined) return null;
  const times = (amount: number | null) => (amount === null ? null : amount * count);
  const shown = (amount: number | null, unit: string) =>
    amount === null ? `unknown ${unit}` : `about ${Math.round(amount)} ${unit}`;
  const cost = times(of.cost);
  const costWords =
    cost === null ? "unknown" : `${cost.toPrecision(3)}${of.currency === null ? "" : ` ${of.currency}`}`;
  const words = [
    shown(times(of.model_calls), "model calls"),
    shown(times(of.input_tokens), "tokens in"),
    shown(times(of.output_tokens), "tokens out"),
    `cost ${costWords}`,
  ].join(", ");
  return { words, cost, costWords };
}
