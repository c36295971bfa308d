import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { fileDigest, type Lookup, locateSource, type Source } from "../../src/caseset/source.ts";
import { notedLater, refused, refusedLater, temporary, written } from "../core/refused.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const source = (from: string, text: string): Source => ({
  name: "rain",
  place: "caseset.yaml:6:3",
  from,
  sha256: sha256(text),
  terms: "CC0",
});
const folder = temporary();
const lookup = (change: Partial<Lookup> = {}): Lookup => ({
  folder: path.join(folder, "work/set"),
  workingFolder: path.join(folder, "here"),
  ownFolder: path.join(folder, "own"),
  cache: path.join(folder, "cache"),
  fetch: null,
  ...change,
});
for (const name of ["work/set", "here", "own"]) fs.mkdirSync(path.join(folder, name), { recursive: true });

/** Installs a package below a folder. */
function install(at: string, name: string, version: string, text: string): string {
  written(folder, `${at}/node_modules/${name}/package.json`, JSON.stringify({ name, version, exports: {} }));
  return written(folder, `${at}/node_modules/${name}/data/x.csv`, text);
}

test("npm: the case set's folder upward, then the working folder, then blindcast's own", async () => {
  const order = ["work/set", "work", "here", "own"];
  const files = order.map((at) => install(at, "pack", "1.0.0", at));
  for (let i = 0; i < order.length; i++) {
    const one = source("npm:pack@1.0.0/data/x.csv", order[i] as string);
    assert.equal(await locateSource(one, lookup()), files[i]);
    fs.rmSync(path.join(folder, order[i] as string, "node_modules/pack"), { recursive: true });
  }
  const { details, hint } = await refusedLater("SourceUnavailable", () =>
    locateSource(source("npm:pack@1.0.0/data/x.csv", ""), lookup()),
  );
  assert.equal(details.found, "no folder node_modules/pack");
  assert.equal(details.place, "caseset.yaml:6:3");
  assert.equal(hint, "npm install pack@1.0.0");
});

test("npm: a scoped package, and a nearer one of another version is passed over and named", async () => {
  const wanted = source("npm:@scope/pack@2.0.0/data/x.csv", "right");
  install("work", "@scope/pack", "1.9.0", "wrong");
  const { details } = await refusedLater("SourceUnavailable", () => locateSource(wanted, lookup()));
  assert.equal(details.found, "version 1.9.0");
  assert.equal(details.from, "npm:@scope/pack@2.0.0/data/x.csv");
  const file = install("own", "@scope/pack", "2.0.0", "right");
  assert.equal(await locateSource(wanted, lookup()), file);
});

test("npm: a file that the package lacks, a spelling without version, a way out of the package", async () => {
  install("here", "other", "1.0.0", "x");
  const lacking = source("npm:other@1.0.0/data/y.csv", "");
  assert.equal(
    (await refusedLater("SourceUnavailable", () => locateSource(lacking, lookup()))).details.found,
    "no such file",
  );
  for (const from of [
    "npm:other/data/x.csv",
    "npm:other@1.0.0",
    "npm:other@1.0.0/../secret",
    "npm:@other@1/x",
  ])
    await refusedLater("FieldInvalid", () => locateSource(source(from, ""), lookup()));
});

test("file: is relative to the case set, and its bytes are verified before anything parses them", async () => {
  const file = written(folder, "work/set/rows/a.csv", "a\n1\n");
  assert.equal(await locateSource(source("file:rows/a.csv", "a\n1\n"), lookup()), file);
  const other = source("file:rows/a.csv", "a\r\n1\r\n");
  const { details, message } = await refusedLater("PublicCorpusDigestMismatch", () =>
    locateSource(other, lookup()),
  );
  assert.deepEqual(details, {
    place: "caseset.yaml:6:3",
    source: "rain",
    declared: sha256("a\r\n1\r\n"),
    found: sha256("a\n1\n"),
  });
  assert.ok(message.includes(details.found) && message.includes(details.declared));
  await refusedLater("SourceUnavailable", () => locateSource(source("file:rows/b.csv", ""), lookup()));
  await refusedLater("FileUnreadable", () => locateSource(source("file:rows", ""), lookup()));
});

test("https: fetched once, kept by its digest, and read from the cache when offline", async () => {
  const one = source("https://example.org/a.csv", "fetched");
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    return Buffer.from("fetched");
  };
  const { details } = await refusedLater("SourceUnavailable", () => locateSource(one, lookup()));
  assert.equal(details.found, "offline, and not in the cache");
  const file = await locateSource(one, lookup({ fetch }));
  assert.equal(file, path.join(folder, "cache", one.sha256));
  assert.equal(await locateSource(one, lookup({ fetch })), file);
  assert.equal(await locateSource(one, lookup()), file);
  assert.deepEqual(asked, ["https://example.org/a.csv"]);
  assert.deepEqual(fs.readdirSync(path.join(folder, "cache")), [one.sha256], "no half file is left");
});

test("https: other bytes are refused as such, and not kept", async () => {
  const one = source("https://example.org/b.csv", "declared");
  const fetch = async () => Buffer.from("served");
  const { details } = await refusedLater("PublicCorpusDigestMismatch", () =>
    locateSource(one, lookup({ fetch })),
  );
  assert.deepEqual([details.declared, details.found], [sha256("declared"), sha256("served")]);
  assert.ok(!fs.existsSync(path.join(folder, "cache", one.sha256)));
  assert.deepEqual(
    await notedLater(async (complain) =>
      assert.equal(await locateSource(one, lookup({ fetch }), complain), undefined),
    ),
    ["PublicCorpusDigestMismatch caseset.yaml:6:3"],
  );
});

test("https: a spoilt cache is noticed, a server that fails is named, no cache is said so", async () => {
  const one = source("https://example.org/c.csv", "good");
  written(folder, `cache/${one.sha256}`, "spoilt");
  await refusedLater("PublicCorpusDigestMismatch", () => locateSource(one, lookup()));
  const two = source("https://example.org/d.csv", "x");
  const fetch = async () => {
    throw new Error("the server answered 404");
  };
  const failed = await refusedLater("SourceUnavailable", () => locateSource(two, lookup({ fetch })));
  assert.equal(failed.details.found, "the server answered 404");
  const none = await refusedLater("SourceUnavailable", () => locateSource(two, lookup({ cache: null })));
  assert.equal(none.details.found, "no cache folder");
});

test("https: a cache that cannot be written is a failure of storage, not of the source", async () => {
  const one = source("https://example.org/e.csv", "bytes");
  const cache = written(folder, "a-file", "not a folder");
  const { details } = await refusedLater("StorageFailed", () =>
    locateSource(one, lookup({ cache, fetch: async () => Buffer.from("bytes") })),
  );
  assert.equal(details.place, path.join(cache, one.sha256));
});

test("fileDigest: of all bytes, however many; a file that is absent is refused", () => {
  const bytes = Buffer.alloc(3_000_000, "0123456789");
  const file = written(folder, "big", bytes);
  assert.equal(fileDigest(file, "big"), createHash("sha256").update(bytes).digest("hex"));
  assert.equal(refused("FileUnreadable", () => fileDigest(`${file}.not`, "big")).details.place, "big");
});
