/** A picture between its title and its caption: the margins and the letters that all pictures share. */
import type { Markish, PlotOptions } from "@observablehq/plot";
import { clip } from "../core/words.ts";
import { shownWords, wrapWords } from "./cutoff-words.ts";
import { drawnSvg, type Plotting, textBlock } from "./svg-picture.ts";

/** Height of a line of a caption. */
export const CAPTION_LINE = 15;
/** Of everything that stands at the left edge. */
export const EDGE = 20;
const WIDTH = 720;
const RIGHT = 24;
const TITLE_LINE = 20;

/** What stands between title and caption, in pixels. */
export type LetteredFrame = {
  readonly height: number;
  readonly left: number;
  /** Between the title and the frame, and between the frame and the caption. */
  readonly above: number;
  readonly axis: number;
};

/**
 * The SVG, 720 wide. `caption`: sentences with true minus signs; `scales` and `marks` as the plotting library has them.
 * Bytes depend on the arguments alone.
 */
export async function letteredSvg(
  words: { readonly title: string; readonly caption: readonly string[] },
  { height, left, above, axis }: LetteredFrame,
  scales: Pick<PlotOptions, "x" | "y" | "r">,
  marks: (Plot: Plotting) => readonly Markish[],
): Promise<string> {
  const title = wrapWords(clip(shownWords(words.title), 130), 68);
  const caption = words.caption.flatMap((line) => wrapWords(line, 104));
  const top = 26 + TITLE_LINE * title.length + above;
  const below = axis + CAPTION_LINE * caption.length + 14;
  const dx = EDGE - left;
  const options = (Plot: Plotting): PlotOptions => ({
    width: WIDTH,
    height: top + height + below,
    marginTop: top,
    marginBottom: below,
    marginLeft: left,
    marginRight: RIGHT,
    ...scales,
    marks: [
      ...marks(Plot),
      textBlock(Plot, title, "top-left", { dx, dy: 16 - top, fontSize: 15, fontWeight: "bold" }),
      textBlock(Plot, caption, "bottom-left", {
        dx,
        dy: axis,
        fontSize: 11,
        lineHeight: CAPTION_LINE / 11,
      }),
    ],
  });
  return drawnSvg(options, [shownWords(words.title), ...words.caption]);
}
