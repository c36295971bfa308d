/** Sources: public bytes that are looked up, never copied into a case set; verified before anything parses them. */
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { makeFolders, upward } from "../core/folders.ts";
import { cause, readChunks } from "../core/lines.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";

/** `{from: "npm:vega-datasets@3.2.1/data/x.csv", sha256: "…", terms: "…"}`; also `file:` and `https:`. */
export const SourceOnDisk = Type.Object(
  {
    from: Type.String({
      pattern: "^(npm:|file:|https://)",
      description: "npm:PACKAGE@VERSION/FILE, file:PATH or https://…",
    }),
    sha256: Type.String({ pattern: "^[0-9a-f]{64}$", description: "64 hexadecimal digits" }),
    terms: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
export type SourceOnDisk = Static<typeof SourceOnDisk>;

export type Source = SourceOnDisk & { readonly name: string; readonly place: Place };

/** Where sources are looked for. `fetch` is absent offline; `cache` holds what it brought, by digest. */
export type Lookup = {
  readonly folder: string;
  readonly workingFolder: string;
  readonly ownFolder: string;
  readonly cache: string | null;
  readonly fetch: ((url: string) => Promise<Uint8Array>) | null;
};

/** The file of a source, its bytes verified against the declared digest. */
export async function locateSource(
  source: Source,
  lookup: Lookup,
  complain: Complain = strict,
): Promise<string | undefined> {
  const file = source.from.startsWith("npm:")
    ? locatePackageFile(source, lookup, complain)
    : source.from.startsWith("file:")
      ? locateFile(source, path.resolve(lookup.folder, source.from.slice(5)), complain)
      : await locateDownload(source, lookup, complain);
  if (file === undefined) return undefined;
  const found = fileDigest(file, source.place, complain);
  return found !== undefined && isDeclared(source, found, complain) ? file : undefined;
}

function isDeclared(source: Source, found: string, complain: Complain): boolean {
  if (found === source.sha256) return true;
  const { place, name, sha256 } = source;
  complain("PublicCorpusDigestMismatch", { place, source: name, declared: sha256, found });
  return false;
}

/** 64 hexadecimal digits of the SHA-256 of a file, streamed. */
export function fileDigest(file: string, place: Place, complain: Complain = strict): string | undefined {
  const hash = createHash("sha256");
  let faulty = false;
  const note: Complain = (code, details) => {
    faulty = true;
    complain(code, details);
  };
  for (const chunk of readChunks(file, place, note)) hash.update(chunk);
  return faulty ? undefined : hash.digest("hex");
}

/** `npm:` is a folder `node_modules/<package>`: upward from the case set, then from here, then from blindcast's own. */
function locatePackageFile(source: Source, lookup: Lookup, complain: Complain): string | undefined {
  const parts = /^npm:((?:@[^/@]+\/)?[^/@]+)@([^/]+)\/(.+)$/.exec(source.from);
  if (parts === null || (parts[3] as string).split("/").includes("..")) {
    complain("FieldInvalid", {
      place: source.place,
      field: `sources.${source.name}.from`,
      found: source.from,
      expected: "npm:PACKAGE@VERSION/FILE",
    });
    return undefined;
  }
  const [, name, version, inside] = parts as unknown as [string, string, string, string];
  let found = `no folder node_modules/${name}`;
  for (const start of [lookup.folder, lookup.workingFolder, lookup.ownFolder]) {
    for (const folder of upward(start)) {
      const home = path.join(folder, "node_modules", name);
      const installed = packageVersion(home);
      if (installed === undefined) continue;
      if (installed !== version) {
        found = `version ${installed}`;
        continue;
      }
      return locateFile(source, path.join(home, inside), complain);
    }
  }
  complain("SourceUnavailable", {
    place: source.place,
    source: source.name,
    from: source.from,
    found,
    next: `npm install ${name}@${version}`,
  });
  return undefined;
}

function packageVersion(home: string): string | undefined {
  try {
    return (JSON.parse(fs.readFileSync(path.join(home, "package.json"), "utf8")) as { version?: string })
      .version;
  } catch {
    return undefined; // not installed here: the next folder is looked at
  }
}

function locateFile(source: Source, file: string, complain: Complain): string | undefined {
  if (fs.existsSync(file)) return file;
  complain("SourceUnavailable", {
    place: source.place,
    source: source.name,
    from: source.from,
    found: "no such file",
    next: "put the file there, or correct `from`",
  });
  return undefined;
}

async function locateDownload(
  source: Source,
  lookup: Lookup,
  complain: Complain,
): Promise<string | undefined> {
  const gone = (found: string, next: string) => {
    complain("SourceUnavailable", {
      place: source.place,
      source: source.name,
      from: source.from,
      found,
      next,
    });
    return undefined;
  };
  if (lookup.cache === null) return gone("no cache folder", "name a cache folder");
  const file = path.join(lookup.cache, source.sha256);
  if (fs.existsSync(file)) return file;
  if (lookup.fetch === null) return gone("offline, and not in the cache", "run once without --offline");
  let bytes: Uint8Array;
  try {
    bytes = await lookup.fetch(source.from);
  } catch (error) {
    return gone(cause(error), "check the network, or put the file into the cache under its digest");
  }
  const found = createHash("sha256").update(bytes).digest("hex");
  return isDeclared(source, found, complain) ? keep(file, bytes, complain) : undefined;
}

/** Written beside and renamed: the cache never holds half a file, whoever else writes to it at the same time. */
function keep(file: string, bytes: Uint8Array, complain: Complain): string | undefined {
  const part = `${file}.${process.pid}.part`;
  try {
    makeFolders(path.dirname(file));
    fs.writeFileSync(part, bytes);
    fs.renameSync(part, file);
    return file;
  } catch (error) {
    if (fs.existsSync(part)) fs.rmSync(part);
    complain("StorageFailed", {
      place: file,
      cause: cause(error),
      next: "free space, or set XDG_CACHE_HOME to a folder that can be written",
    });
    return undefined;
  }
}
