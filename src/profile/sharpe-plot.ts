/** The picture of a deflation: each trial's ratio against what the best of them would reach by luck alone. */
import { shownWords } from "../report/cutoff-words.ts";
import { dotSvg } from "../report/dot-plot.ts";
import type { Deflation } from "./deflation.ts";
import { deflationDots } from "./sharpe-text.ts";
import { bestSentence, boundSentence, trialsKnown } from "./sharpe-words.ts";

/** null where no trial has a ratio. */
export async function deflationSvg(deflation: Deflation): Promise<string | null> {
  const dots = deflationDots(deflation);
  if (dots === null) return null;
  const said = bestSentence(deflation);
  return dotSvg(dots, {
    title: `Deflated for ${trialsKnown(deflation)}`,
    axis: "Sharpe ratio per period, not annualised",
    caption: [
      // A trial's name stays as it is.
      deflation.best !== null && said.startsWith(shownWords(deflation.best.name))
        ? said
        : `${said.slice(0, 1).toUpperCase()}${said.slice(1)}`,
      "Bars: 1.96 standard errors a side, cut where they are long. Full dots are above SR0.",
      boundSentence(deflation),
    ],
  });
}
