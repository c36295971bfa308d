/** The order of entries: one arrival number each, trajectories in the plan's order, attempts and steps chained to their end. */
import { toHex } from "../core/bytes.ts";
import type { Code, Refusals } from "../core/refusal.ts";
import type { RecordedEntry } from "./entry-shape.ts";

/** What the entries of one file are held against. */
export type OrderBounds = {
  readonly run: string;
  /** SHA-256 of run.json: what the first entry of each attempt follows. */
  readonly manifest: Uint8Array;
  /** How many entries there are, and so which arrival numbers. */
  readonly entries: number;
  readonly trajectories: number;
};

/** Told of each fault with its line, from 1; the details are made only where they are wanted, after the last line. */
export type NoteFault = <C extends Code>(
  code: C,
  line: number,
  details: () => Omit<Refusals[C], "place">,
  column?: number,
) => void;

export interface EntryOrder {
  /** The next entry, its leaf (32 bytes, kept until the next), its line. */
  take(entry: RecordedEntry, leaf: Uint8Array, line: number): void;
  /** After the last line. */
  end(line: number): void;
}

/** The trajectory of the entry before; `case` is undefined while none of its entries had one. */
type Current = {
  case: string | undefined;
  arm: string;
  repeat: number;
  attempt: number;
  step: number;
  leaf: Uint8Array;
  /** `answered`: its answer, decline or fault is there, and only what judges it and its end may follow. */
  state: "running" | "answered" | "abandoned" | "ended";
};

/**
 * Notes EntrySequence, EntryRun, EntryStep, EntryChain and TrajectoryUnended, and goes on from each as if the line were
 * right. An entry without `case` is taken for one of the trajectory that it stands in: the stage `bounds` refuses it.
 */
export function createEntryOrder(bounds: OrderBounds, note: NoteFault): EntryOrder {
  const arrivals = createArrivals(bounds.entries, note);
  const finished = new Set<string>();
  let current: Current | null = null;
  let ended = 0;

  const begin = (entry: RecordedEntry, leaf: Uint8Array, line: number): Current => {
    if (current !== null) {
      noteUnended(current, line - 1, note);
      noteOrder(current, entry, finished, line, note);
    }
    const { case: id, arm, repeat, attempt } = entry;
    if (id !== undefined) finished.add(id);
    if (attempt !== 0)
      note("EntrySequence", line, () => ({
        subject: name(entry),
        found: `attempt ${attempt} first`,
        expected: "attempt 0",
      }));
    noteLink(entry, 0, "run.json", bounds.manifest, line, note);
    return { case: id, arm, repeat, attempt, step: 0, leaf, state: "running" };
  };

  const goOn = (at: Current, entry: RecordedEntry, line: number): void => {
    at.case ??= entry.case;
    if ((at.state === "running" || at.state === "answered") && entry.attempt === at.attempt) {
      noteAnswer(at, entry, line, note);
      noteLink(entry, at.step + 1, `line ${line - 1}`, at.leaf, line, note);
      return;
    }
    noteAttempt(at, entry, line, note);
    if (entry.attempt === at.attempt) noteLink(entry, at.step + 1, `line ${line - 1}`, at.leaf, line, note);
    else noteLink(entry, 0, "run.json", bounds.manifest, line, note);
    at.attempt = entry.attempt;
    at.state = "running";
  };

  return {
    take(entry, leaf, line) {
      arrivals.take(entry, line);
      if (entry.run !== bounds.run)
        note("EntryRun", line, () => ({ found: entry.run, expected: bounds.run }));
      if (current !== null && continues(current, entry)) goOn(current, entry, line);
      else current = begin(entry, leaf, line);
      current.step = entry.step;
      current.leaf = leaf;
      if (answers.has(entry.kind)) current.state = "answered";
      if (entry.kind !== "end") return;
      const whole = "steps" in entry;
      current.state = whole ? "ended" : "abandoned";
      if (whole) ended++;
      const counted = whole ? entry.steps : entry.abandoned;
      if (counted !== entry.step + 1)
        note("TrajectoryUnended", line, () => ({
          of: name(entry),
          problem: `its end counts ${counted} entries, expected ${entry.step + 1}`,
        }));
    },
    end(line) {
      if (current !== null) noteUnended(current, line, note);
      if (ended !== bounds.trajectories)
        note("TrajectoryUnended", line, () => ({
          of: "trajectories",
          problem: `${ended} ended, the manifest has ${bounds.trajectories}`,
        }));
    },
  };
}

type Named = { readonly case?: string | undefined; readonly arm: string; readonly repeat: number };
const name = ({ case: id, arm, repeat }: Named) => `case ${id ?? "(none)"}, arm ${arm}, repeat ${repeat}`;

function continues(at: Current, entry: RecordedEntry): boolean {
  if (entry.arm !== at.arm || entry.repeat !== at.repeat) return false;
  if (entry.case !== undefined && at.case !== undefined) return entry.case === at.case;
  return entry.attempt !== 0 || entry.step !== 0;
}

/** The entry must be `step`, and follow the leaf of what stands before it. */
function noteLink(
  entry: RecordedEntry,
  step: number,
  before: string,
  leaf: Uint8Array,
  line: number,
  note: NoteFault,
): void {
  if (entry.step !== step)
    note("EntryStep", line, () => ({ of: name(entry), found: entry.step, expected: step }));
  if (!isHexOf(entry.prev, leaf))
    note("EntryChain", line, () => ({ found: entry.prev, before, expected: toHex(leaf) }));
}

const answers: ReadonlySet<string> = new Set(["answer", "decline", "fault"]);

/** Nothing but judges and the end come after an answer, and the end of the attempt that stands after nothing else. */
function noteAnswer(at: Current, entry: RecordedEntry, line: number, note: NoteFault): void {
  const of = name(entry);
  if (entry.kind === "judge" && at.state !== "answered")
    note("TrajectoryUnended", line, () => ({
      of,
      problem: "a judge before an answer, expected one to judge",
    }));
  if (at.state === "answered" && entry.kind !== "end" && entry.kind !== "judge")
    note("TrajectoryUnended", line, () => ({
      of,
      problem: `${entry.kind} after its answer, expected a judge or its end`,
    }));
  else if (at.state === "answered" && "abandoned" in entry)
    note("TrajectoryUnended", line, () => ({
      of,
      problem: "abandoned after its answer, which stands",
    }));
  if (at.state === "running" && entry.kind === "end" && "steps" in entry)
    note("TrajectoryUnended", line, () => ({
      of,
      problem: "an end with its steps, and no answer before it",
    }));
}

/** `current` is the trajectory's last attempt when another trajectory begins, or the file ends. */
function noteUnended(current: Current, line: number, note: NoteFault): void {
  const { state, attempt, step } = current;
  if (state === "ended") return;
  const of = name(current);
  const last = state === "abandoned" ? `attempt ${attempt}, abandoned` : `step ${step} of attempt ${attempt}`;
  note("TrajectoryUnended", line, () => ({
    of,
    problem: `the last is ${last}, expected an end with its steps`,
  }));
}

/** Trajectories of a case stand by arm, then repeat, and those of one case together. */
function noteOrder(
  before: Current,
  entry: RecordedEntry,
  finished: ReadonlySet<string>,
  line: number,
  note: NoteFault,
): void {
  if (entry.case === undefined) return;
  const found = `after ${name(before)}`;
  if (entry.case === before.case) {
    if (before.arm < entry.arm || (before.arm === entry.arm && before.repeat < entry.repeat)) return;
    note("EntrySequence", line, () => ({ subject: name(entry), found, expected: "by arm, then by repeat" }));
  } else if (finished.has(entry.case)) {
    const expected = "a case's trajectories together, each once";
    note("EntrySequence", line, () => ({ subject: name(entry), found, expected }));
  }
}

/** An entry that does not go on with the attempt before it: it must begin the next one after an abandoned one. */
function noteAttempt(at: Current, entry: RecordedEntry, line: number, note: NoteFault): void {
  const { state, attempt } = at;
  const of = name(entry);
  if (state === "ended" && entry.attempt === 0 && entry.step === 0)
    note("EntrySequence", line, () => ({
      subject: of,
      found: "begun again",
      expected: "each trajectory once",
    }));
  else if (state === "ended" || (state === "abandoned" && entry.attempt === attempt))
    note("TrajectoryUnended", line, () => ({ of, problem: `an entry after its end in line ${line - 1}` }));
  else if (entry.attempt !== attempt + 1)
    note("EntrySequence", line, () => ({
      subject: of,
      found: `attempt ${entry.attempt} after ${attempt}`,
      expected: `attempt ${state === "abandoned" ? attempt + 1 : attempt}`,
    }));
  else if (state === "running" || state === "answered")
    note("TrajectoryUnended", line, () => ({
      of,
      problem: `attempt ${attempt} has no end, expected one in line ${line - 1}`,
    }));
}

/** Arrival numbers, a bit each: of `entries` entries every number below has one. */
function createArrivals(
  entries: number,
  note: NoteFault,
): { take(entry: RecordedEntry, line: number): void } {
  const seen = new Uint8Array(Math.ceil(entries / 8));
  const isSeen = (seq: number) => ((seen[Math.floor(seq / 8)] as number) & (1 << (seq % 8))) !== 0;
  const missing = (): string => {
    let seq = 0;
    while (seq < entries && isSeen(seq)) seq++;
    return seq < entries ? `; no entry is ${seq}` : "";
  };
  return {
    take({ seq }, line) {
      if (seq < entries && !isSeen(seq)) {
        const at = Math.floor(seq / 8);
        seen[at] = (seen[at] as number) | (1 << (seq % 8));
        return;
      }
      const found = seq < entries ? `${seq}, a second time` : `${seq}`;
      note("EntrySequence", line, () => ({
        subject: "seq",
        found: `${found}${missing()}`,
        expected: `each of 0 to ${entries - 1} once`,
      }));
    },
  };
}

const DIGITS = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));

/** Equal to `text === toHex(bytes)`, without the text. */
function isHexOf(text: string, bytes: Uint8Array): boolean {
  if (text.length !== 2 * bytes.length) return false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (text.charCodeAt(2 * i) !== DIGITS[byte >> 4] || text.charCodeAt(2 * i + 1) !== DIGITS[byte & 15])
      return false;
  }
  return true;
}
