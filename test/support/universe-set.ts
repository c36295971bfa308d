/** A small set of decisions among members that change: daily prices, stints, one real delisting; a decision a week. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { type CaseSet, loadCaseSet } from "../../src/caseset/load.ts";
import type { ProfileOnDisk } from "../../src/profile/profile.ts";
import { loadStore } from "../../src/store/load-store.ts";
import { dayOf, type MadeDecisions } from "./decision-set.ts";

export const MEMBERS = ["m0", "m1", "m2", "m3", "m4", "m5"] as const;
/** It is delisted on a day, which is known a day later; nobody has a price of it from then on. */
export const LEAVER = "m5";
export const LEFT = 25;

const unit = (i: number, k: number): number => 40 + 10 * k + ((i * (3 + k)) % 11);

export type UniverseOptions = {
  /** The first horizon's day, and how many weekly cases there are. */
  readonly from?: number;
  readonly weeks?: number;
  /** Days of history that a case looks back on. */
  readonly look?: number;
  readonly days?: number;
  /** The last case names its members itself. */
  readonly fixed?: boolean;
  readonly reads?: readonly string[];
  /** `tables:` of the declaration; absent: the usual one. */
  readonly tables?: string;
  /** More of one case, by its number. */
  readonly more?: (week: number) => object;
  /** Files of the folder in the place of its own, or beside them. */
  readonly extra?: { readonly [file: string]: string };
  /** Does the leaver have prices on a day? Absent: until it has left. */
  readonly priced?: (day: number) => boolean;
  /** The name of a member. */
  readonly name?: (k: number) => string;
};

export const UNIVERSE_TABLES = `  members:
    rows: {file: members.csv}
    key: [member, stint]
    entity: member
    valid_time: {from: from, to: to}
    available_time: {column: known}
    columns: {member: string, stint: number, from: string, to: string, known: string}
  prices:
    rows: {file: prices.csv}
    key: [date, member]
    entity: member
    valid_time: {column: date}
    available_time: {date: PT9H30M, member: PT9H30M, open: PT9H30M, close: PT16H}
  gone:
    rows: {file: gone.csv}
    key: [member]
    entity: member
    valid_time: {column: date}
    available_time: {after: valid_time, delay: P1D}
    columns: {member: string, date: string, d: number, why: string}
`;

export async function universeSet(options: UniverseOptions = {}): Promise<MadeDecisions> {
  const { from = 42, weeks = 4, look = 28, days = 90, fixed = true, more, name = (k) => `m${k}` } = options;
  const { priced = (day) => day < LEFT } = options;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "blindcast-universe-"));
  const put = (file: string, text: string) => fs.writeFileSync(path.join(folder, file), text);
  put(
    "caseset.yaml",
    `name: members\nkind: decision\ntime_zone: UTC\ntables:\n${options.tables ?? UNIVERSE_TABLES}`,
  );
  const who = MEMBERS.map((_, k) => k);
  const leaver = MEMBERS.indexOf(LEAVER);
  const stints = who.flatMap((k) => [
    `${name(k)},1,${dayOf(k)},,${dayOf(k)}\n`,
    ...(k === leaver ? [`${name(k)},1,${dayOf(k)},${dayOf(LEFT)},${dayOf(LEFT)}\n`] : []),
  ]);
  put("members.csv", `member,stint,from,to,known\n${stints.join("")}`);
  const prices = Array.from({ length: days }, (_, i) =>
    who
      .filter((k) => k !== leaver || priced(i))
      .map((k) => `${dayOf(i)},${name(k)},${unit(i, k)},${unit(i, k)}.5\n`),
  );
  put("prices.csv", `date,member,open,close\n${prices.flat().join("")}`);
  put("gone.csv", `member,date,d,why\n${name(leaver)},${dayOf(LEFT)},-0.5,failed\n`);
  const at = (day: number) => `${dayOf(day)}T00:00:00Z`;
  const cases = Array.from({ length: weeks }, (_, week) => {
    const day = from + 7 * week;
    const listed = fixed && week === weeks - 1 ? { members: [name(0), name(1)] } : { universe: "members" };
    return {
      id: `week-${week}`,
      kind: "decision",
      question: "What to hold?",
      horizon: at(day),
      reads: options.reads ?? ["members", "prices", "gone"],
      label_interval: [at(day), at(day + 7)],
      answer: "positions",
      window: [at(day - look), at(day)],
      ...listed,
      ...more?.(week),
    };
  });
  put("cases.jsonl", cases.map((one) => `${JSON.stringify(one)}\n`).join(""));
  for (const [file, text] of Object.entries(options.extra ?? {})) put(file, text);
  const set = loadCaseSet(folder, "members") as CaseSet;
  const lookup = { folder, workingFolder: folder, ownFolder: folder, cache: null, fetch: null };
  const store = await loadStore(set, lookup);
  fs.rmSync(folder, { recursive: true });
  return { set, store };
}

export const universeProfile: Partial<ProfileOnDisk> = {
  universe: { table: "members", delistings: { table: "gone", column: "d" } },
};
