/** The pictures of decisions: what was earned over time, slice by slice, and where the trial stands among those known. */
import type { Json } from "../core/canonical.ts";
import { type Instant, parseInstant } from "../core/instant.ts";
import { shownWords } from "../report/cutoff-words.ts";
import { dotSvg } from "../report/dot-plot.ts";
import type { Dots } from "../report/dot-range.ts";
import type { Picture } from "../report/leakage-plots.ts";
import type { LinePanel, TimeLine } from "../report/line-frame.ts";
import { lineSvg } from "../report/line-plot.ts";
import type { Decisions, Repeat, Trials } from "./decision-text.ts";
import { ratioDot, ratioLines } from "./ratio-dots.ts";
import { boundSentence, shownProbability, shownRatio, stateWords, trialsKnown } from "./sharpe-words.ts";

type Arms = Decisions["slices"][string]["arms"];
type Marks = TimeLine["marks"];

/** None where the report has no decisions; a picture only of what is there. */
export async function decisionPictures({
  result,
  evidence,
}: {
  readonly result: Json;
  readonly evidence: Json;
}): Promise<Picture[]> {
  const { decisions, caseset } = result as unknown as {
    readonly decisions?: Decisions;
    readonly caseset: { readonly name: string };
  };
  const { trials } = evidence as unknown as { readonly trials?: Trials };
  if (decisions === undefined) return [];
  const panels = Object.entries(decisions.slices).flatMap(([slice, { arms }]) => slicePanels(slice, arms));
  const words = {
    title: `${caseset.name}: growth of 1, and how far below its highest`,
    caption: captionOf(decisions, panels),
  };
  const ratios = trials === undefined ? null : await trialSvg(trials);
  return [
    ...(panels.length === 0 ? [] : [{ name: "decisions", svg: await lineSvg(panels, words) }]),
    ...(ratios === null ? [] : [{ name: "trials", svg: ratios }]),
  ];
}

const GROWTH = 200;
const FALL = 84;
/** Without a fall its axis still reaches below 0, in percent. */
const LEAST_FALL = -1;

/** Of each arm the first repeat, whose returns and marks are in the report; two panels, and none where no arm has returns. */
export function slicePanels(slice: string, arms: Arms): LinePanel[] {
  const drawn = Object.entries(arms).flatMap(([arm, [first]]) =>
    first?.returns === undefined ||
    first.returns.length === 0 ||
    first.marks?.length !== first.returns.length + 1
      ? []
      : [{ arm, first, marks: growthOf(first) }],
  );
  if (drawn.length === 0) return [];
  return [
    {
      label: `growth of 1, slice ${slice}`,
      height: GROWTH,
      level: 1,
      reach: 1,
      shaded: false,
      lines: drawn.map(({ arm, first, marks }) => ({ label: armWords(arm, first), marks })),
    },
    {
      label: `drawdown, slice ${slice} (% below the highest mark before)`,
      height: FALL,
      level: 0,
      reach: LEAST_FALL,
      shaded: true,
      lines: drawn.map(({ marks }) => ({ label: null, marks: fallOf(marks) })),
    },
  ];
}

/** 1 at the first mark, then times (1 + return) at each next one; null from the first return on that is not known. */
function growthOf({ marks = [], returns = [] }: Repeat): Marks {
  const times = marks.map((mark) => parseInstant(mark, "report", "marks") as Instant);
  let growth: number | null = 1;
  const grown = returns.map(([, value], i) => {
    const next = growth === null || value === null ? null : growth * (1 + value);
    growth = next !== null && Number.isFinite(next) ? next : null;
    return { at: times[i + 1] as Instant, value: growth };
  });
  return [{ at: times[0] as Instant, value: 1 }, ...grown];
}

/** In percent, 0 and below. */
function fallOf(marks: Marks): Marks {
  let peak = 1;
  return marks.map(({ at, value }) => {
    peak = Math.max(peak, value ?? peak);
    return { at, value: value === null ? null : 100 * (value / peak - 1) };
  });
}

function armWords(arm: string, { total_return: total, drawdown, sharpe, state }: Repeat): string {
  if (total === null || drawdown === null) return `${arm}: ${stateWords(state)}`;
  const percent = (value: number) => `${(100 * value).toFixed(1)} %`;
  const ratio = sharpe === null ? `no ratio: ${stateWords(state)}` : `Sharpe ratio ${shownRatio(sharpe)}`;
  return `${arm}: return ${percent(total)}, deepest drawdown ${percent(drawdown)}, ${ratio}`;
}

function captionOf({ units, slices }: Decisions, panels: readonly LinePanel[]): string[] {
  const repeats = Math.max(
    1,
    ...Object.values(slices).flatMap(({ arms }) => Object.values(arms).map(({ length }) => length)),
  );
  const gapped = Object.values(slices).some(({ arms }) =>
    Object.values(arms).some(([first]) => (first?.gaps ?? 0) > 0),
  );
  const unknown = panels.some(({ lines }) =>
    lines.some(({ marks }) => marks.some(({ value }) => value === null)),
  );
  return [
    `A mark at each horizon and at the end of the last case: what was deeper or higher in between is not seen. Returns are after costs; Sharpe ratios are per ${shownWords(units.per)}. Slices and arms never pool.`,
    ...(repeats === 1 ? [] : [`Of ${repeats} repeats the first: the report holds the returns of no other.`]),
    ...(gapped ? ["Where cases were left out nothing was held: there a line goes to the next mark."] : []),
    ...(unknown ? ["A line ends in a cross where its next return is not known."] : []),
  ];
}

/** null where neither the trial nor the best one has a ratio. */
async function trialSvg({ ledger, figures }: Trials): Promise<string | null> {
  const dots = figures === null ? null : trialDots(figures);
  if (figures === null || dots === null) return null;
  const { own, best, sr0 } = figures;
  const mine =
    own?.sharpe == null
      ? `This trial has no ratio: ${stateWords(own?.state ?? "unmeasured")}.`
      : `This trial: ${shownRatio(own.sharpe)}, PSR ${shownProbability(own.psr)}, deflated (DSR) ${shownProbability(own.dsr)}. Bar: 1.96 standard errors a side.`;
  const other =
    best === null || best.name === own?.name
      ? ""
      : ` The best known is ${shownWords(best.name)}: DSR ${shownProbability(best.dsr)}.`;
  const bar = sr0 === null ? " SR0 is not estimable." : "";
  return dotSvg(dots, {
    title: `This trial and ${trialsKnown(figures)}`,
    axis: "Sharpe ratio per period, not annualised",
    caption: [
      `${mine}${other}${bar}`,
      `As known when the run ended. Each trial, and at today's head: blindcast ledger deflate ${shownWords(ledger)} --plot DIR.`,
      boundSentence(figures),
    ],
  });
}

/** This trial and the best known, against the benchmark and SR0. */
export function trialDots({
  own,
  best,
  sr0,
  n_trials: n,
  units,
}: NonNullable<Trials["figures"]>): Dots | null {
  const dots = [
    ...(own?.sharpe == null ? [] : [ratioDot("this trial", own.sharpe, own.error, sr0)]),
    ...(best === null || best.name === own?.name ? [] : [ratioDot("the best known", best.sharpe, null, sr0)]),
  ];
  return dots.length === 0 ? null : { dots, lines: ratioLines(units.benchmark, sr0, n) };
}
