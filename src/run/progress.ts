/** Progress of long work on stderr: a bar on a terminal, else a plain line every few seconds. */
import { Presets, SingleBar } from "cli-progress";
import type { Clock, Progress } from "./world.ts";

const LINE_EVERY_MS = 5000;

export function showProgress(stream: NodeJS.WriteStream, clock: Clock): Progress {
  return stream.isTTY ? barProgress(stream) : lineProgress(stream, clock);
}

function barProgress(stream: NodeJS.WriteStream): Progress {
  let bar: SingleBar | null = null;
  return {
    stage(text, total) {
      bar = new SingleBar(
        {
          stream,
          format: `${text} {bar} {value}/{total}, {failed} unanswered,{spent} {eta_formatted} left`,
          hideCursor: true,
          clearOnComplete: true,
        },
        Presets.shades_classic,
      );
      bar.start(total, 0, { failed: 0, spent: "" });
    },
    done: (count, failed, cost) => bar?.update(count, { failed, spent: spentText(cost) }),
    end: () => bar?.stop(),
  };
}

function lineProgress(stream: NodeJS.WriteStream, clock: Clock): Progress {
  let name = "";
  let of = 0;
  let begun = 0;
  let shown = 0;
  return {
    stage(text, total) {
      name = text;
      of = total;
      begun = clock.elapsed();
      shown = begun;
    },
    done(count, failed, cost) {
      const now = clock.elapsed();
      if (now - shown < LINE_EVERY_MS) return;
      shown = now;
      const left = Math.round((((now - begun) / count) * (of - count)) / 1000);
      stream.write(
        `${name}: ${count} of ${of}, ${failed} unanswered,${spentText(cost)} about ${left} s left\n`,
      );
    },
    end: () => {},
  };
}

const spentText = (cost: number | undefined) =>
  cost === undefined || cost === 0 ? "" : ` cost ${cost.toPrecision(3)},`;
