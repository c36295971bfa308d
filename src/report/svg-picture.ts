/** Pictures as self-contained SVG texts: drawn by the plotting library, without its styles, ids and outside fonts. */

import type { Markish, PlotOptions } from "@observablehq/plot";

/** Dark enough on white for text of their own colour. */
export const INK = "#222222";
export const QUIET = "#5c5c5c";

export type Plotting = typeof import("@observablehq/plot");

/**
 * The SVG of a plot, with its own background. Bytes depend on the arguments alone: coordinates have two decimals, and
 * there are no ids or scripts. `described`: the title, then what the picture says. The library loads on the first call.
 */
export async function drawnSvg(
  options: (Plot: Plotting) => PlotOptions,
  described: readonly string[],
): Promise<string> {
  const [Plot, { DOMParser }] = await Promise.all([import("@observablehq/plot"), import("linkedom")]);
  const document = new DOMParser().parseFromString(`<svg xmlns="${NAMESPACE}"/>`, "image/svg+xml");
  const svg: Drawing = Plot.plot({ ...options(Plot), document });
  const make = (name: string): Drawing => document.createElementNS(NAMESPACE, name, undefined);
  return selfContained(svg, make, described);
}

/** A true minus before a figure; the hyphens of a month stay. */
export function trueMinus(text: string): string {
  return text.replace(/(?<!\w)-(?=\d)/g, "−");
}

type Anchor = "top-left" | "bottom-left";
type Lettering = { dx: number; dy: number; fontSize: number; fontWeight?: string; lineHeight?: number };

/** Lines of text at a corner of the frame. */
export function textBlock(
  Plot: Plotting,
  lines: readonly string[],
  frameAnchor: Anchor,
  lettering: Lettering,
): Markish {
  return Plot.text([lines.join("\n")], { frameAnchor, lineAnchor: "top", fill: INK, ...lettering });
}

const NAMESPACE = "http://www.w3.org/2000/svg";

/** What is used of an element here: the project compiles without the browser's types. */
type Drawing = {
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  getAttribute(name: string): string | null;
  querySelector(selector: string): { remove(): void } | null;
  querySelectorAll(selector: string): Iterable<Drawing>;
  prepend(...nodes: readonly Drawing[]): void;
  toString(): string;
  textContent: string | null;
};

function selfContained(svg: Drawing, make: (name: string) => Drawing, described: readonly string[]): string {
  for (const element of svg.querySelectorAll("*")) roundCoordinates(element);
  svg.querySelector("style")?.remove();
  svg.removeAttribute("class");
  for (const [name, value] of [
    ["xmlns", NAMESPACE],
    ["role", "img"],
    ["color", INK],
  ] as const)
    svg.setAttribute(name, value);
  const [title, desc, ground] = [make("title"), make("desc"), make("rect")];
  title.textContent = described[0] ?? "";
  desc.textContent = described.slice(1).join(" ");
  for (const [name, value] of [
    ["width", "100%"],
    ["height", "100%"],
    ["fill", "white"],
  ] as const)
    ground.setAttribute(name, value);
  svg.prepend(title, desc, ground);
  return `${svg.toString()}\n`;
}

const COORDINATES = [
  "cx",
  "cy",
  "d",
  "dy",
  "height",
  "r",
  "transform",
  "width",
  "x",
  "x1",
  "x2",
  "y",
  "y1",
  "y2",
];

/** Two decimals: no byte hangs on the last bits of a sum. */
function roundCoordinates(element: Drawing): void {
  for (const name of COORDINATES) {
    const value = element.getAttribute(name);
    if (value !== null)
      element.setAttribute(
        name,
        value.replace(/-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/g, (number) =>
          String(Number(Number(number).toFixed(2))),
        ),
      );
  }
}
