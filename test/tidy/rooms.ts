/** The table of rooms as data, and the rules about imports that follow from it. */
import { type Finding, inside, type Rule, type Source, type Tree } from "./source.ts";

type Room = {
  readonly name: string;
  readonly may: readonly string[];
  /** Rooms of which types may be imported, and nothing else. */
  readonly types?: readonly string[];
};

const firstSix: readonly Room[] = [
  { name: "core", may: [] },
  { name: "stats", may: ["core"] },
  { name: "ledger", may: ["core"] },
  { name: "caseset", may: ["core"] },
  { name: "store", may: ["core", "caseset"] },
  { name: "model", may: ["core", "caseset"], types: ["store"] },
];
const names = firstSix.map(({ name }) => name);

/** The rows of the table in ARCHITECTURE, top to bottom. */
const rooms: readonly Room[] = [
  ...firstSix,
  { name: "run", may: names },
  { name: "score", may: [...names, "run"] },
  { name: "forecast", may: ["core", "stats", "caseset", "score"] },
  { name: "report", may: [...names, "run", "score", "forecast"] },
  { name: "profile", may: [...names, "run", "score", "forecast", "report"] },
  { name: "replay", may: [...names, "run", "score", "forecast", "report", "profile"] },
];
const every = rooms.map(({ name }) => name);

/** What stands beside the rooms: the spines, the command line, the two public entries. */
const besides: ReadonlyMap<string, Room> = new Map(
  [
    ...["backtest.ts", "tournament.ts", "evaluate.ts"].map((name) => ({ name, may: every })),
    { name: "index.ts", may: [...every, "backtest.ts", "tournament.ts", "evaluate.ts"] },
    { name: "verify.ts", may: ["core", "ledger", "replay"] },
    { name: "cli", may: [...every, "backtest.ts", "tournament.ts", "evaluate.ts", "verify.ts"] },
  ].map((room) => [room.name, room]),
);

/** Where each third-party package lives; `all` is core and everything below it. */
const packages: ReadonlyMap<string, readonly string[] | "all"> = new Map<string, readonly string[] | "all">([
  ["@noble/hashes", ["core"]],
  ["date-fns", ["core"]],
  ["@date-fns/utc", ["core"]],
  ["@date-fns/tz", ["core"]],
  ["@sinclair/typebox", "all"],
  ["@sinclair/typebox/", ["core"]],
  ["yaml", ["core"]],
  ["pure-rand", ["core"]],
  ["csv-parse", ["caseset"]],
  ["hyparquet", ["caseset"]],
  ["arquero", ["store", "report"]],
  ["minisearch", ["store"]],
  ["p-queue", ["run"]],
  ["level", ["run"]],
  ["@modelcontextprotocol/server", ["model"]],
  ["cli-progress", ["run"]],
  ["@observablehq/plot", ["report"]],
  ["linkedom", ["report"]],
  ["danfojs-node", ["report"]],
  ["yargs", ["cli"]],
]);

/** The room of a file, or the file itself where it stands beside the rooms. */
function roomOf(path: string): Room | undefined {
  const [, first] = path.split("/");
  return rooms.find(({ name }) => name === first) ?? besides.get(first as string);
}

const roomOrder: Rule = {
  name: "room order",
  check: (tree) =>
    inside(tree, "src").flatMap((source) => {
      const room = roomOf(source.path);
      if (room === undefined) return [{ path: source.path, line: 1, found: "no room of the table" }];
      return source.imports.flatMap((each) => {
        if (each.target === null) return [];
        const other = each.target.startsWith("src/") ? roomOf(each.target) : undefined;
        if (other === undefined || other.name === room.name || room.may.includes(other.name))
          return other === undefined ? [outOfHouse(source, each)] : [];
        if (room.types?.includes(other.name)) {
          if (each.typeOnly) return [];
          const found = `${room.name} may import types of ${other.name} only (${each.specifier})`;
          return [{ path: source.path, line: each.line, found }];
        }
        const found = `${room.name} imports ${other.name} (${each.specifier}); it may import ${room.may.join(", ") || "nothing"}`;
        return [{ path: source.path, line: each.line, found }];
      });
    }),
};

function outOfHouse(source: Source, { specifier, line }: { specifier: string; line: number }): Finding {
  return { path: source.path, line, found: `${specifier} is in no room of the table` };
}

const noCycle: Rule = {
  name: "no import cycle",
  check: (tree) => {
    const sources = inside(tree, "src");
    const told = new Set<string>();
    return sources.flatMap((source) => {
      const cycle = shortestCycle(source, tree);
      const members = [...(cycle ?? [])].sort().join(" ");
      if (cycle === undefined || told.has(members)) return [];
      told.add(members);
      return [
        { path: source.path, line: 1, found: `imports itself: ${[...cycle, source.path].join(" → ")}` },
      ];
    });
  },
};

/** Breadth first from a file back to itself. */
function shortestCycle(start: Source, tree: Tree): string[] | undefined {
  const byPath = new Map(tree.sources.map((source) => [source.path, source]));
  const from = new Map<string, string>();
  const queue = [start.path];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    for (const { target } of byPath.get(path)?.imports ?? []) {
      if (target === start.path) {
        const way = [path];
        while (way[0] !== start.path) way.unshift(from.get(way[0] as string) as string);
        return way;
      }
      if (target === null || from.has(target)) continue;
      from.set(target, path);
      queue.push(target);
    }
  }
  return undefined;
}

const noIndex: Rule = {
  name: "no index file in a room",
  check: (tree) =>
    inside(tree, "src")
      .filter(({ path }) => /^src\/.+\/index\.ts$/.test(path))
      .map(({ path }) => ({
        path,
        line: 1,
        found: "a room has no index file: import the file that is meant",
      })),
};

const packageRooms: Rule = {
  name: "packages in their rooms",
  check: (tree) =>
    inside(tree, "src").flatMap((source) =>
      source.imports.flatMap(({ specifier, target, line }) => {
        if (target !== null || specifier.startsWith("node:")) return [];
        const home = homeOf(specifier);
        if (home === undefined)
          return [{ path: source.path, line, found: `${specifier} has no room in the table` }];
        const room = roomOf(source.path)?.name ?? "";
        if (home === "all" || home.includes(room)) return [];
        return [{ path: source.path, line, found: `${specifier} lives in ${home.join(", ")} only` }];
      }),
    ),
};

/** A package's sub-paths live with it, unless they have a line of their own. */
function homeOf(specifier: string): readonly string[] | "all" | undefined {
  const [scope, name] = specifier.split("/");
  const whole = specifier.startsWith("@") ? `${scope}/${name}` : (scope as string);
  return (specifier === whole ? undefined : packages.get(`${whole}/`)) ?? packages.get(whole);
}

const verifyIsPortable: Rule = {
  name: "verify runs in a browser",
  check: (tree) => {
    const byPath = new Map(tree.sources.map((source) => [source.path, source]));
    const reached = new Set(byPath.has("src/verify.ts") ? ["src/verify.ts"] : []);
    const findings: Finding[] = [];
    for (const path of reached) {
      for (const { specifier, target, line } of byPath.get(path)?.imports ?? []) {
        if (target !== null) reached.add(target);
        else if (/^(node:|level$|@duckdb\/)/.test(specifier))
          findings.push({
            path,
            line,
            found: `${specifier} is reached from src/verify.ts: pass it as a value`,
          });
      }
    }
    return findings;
  },
};

const walkIsOutside: Rule = {
  name: "walks import nothing from src",
  check: (tree) =>
    inside(tree, "test/walk").flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => target?.startsWith("src/"))
        .map(({ specifier, line }) => ({
          path,
          line,
          found: `${specifier}: a walk drives the command line only`,
        })),
    ),
};

export const roomRules: readonly Rule[] = [
  roomOrder,
  noCycle,
  noIndex,
  packageRooms,
  verifyIsPortable,
  walkIsOutside,
];
