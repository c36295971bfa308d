/** Forgeries that the stages `bounds` and `blobs` refuse. */
import { deflateRawSync } from "node:zlib";
import { canonical, type Json } from "../../src/core/canonical.ts";
import { digestOf } from "../../src/core/digest.ts";
import { entryOf, type Forgery, listing, set, trajectory } from "./forging.ts";
import { type Draft, type Fields, rebody } from "./operator.ts";

const late = "2020-02-01T00:00:00Z";
export const boundForgeries: Forgery[] = [
  {
    bad: (draft) => void delete entryOf(draft, "tool")["horizon"],
    expected: "bounds BoundAttributeMissing",
    says: /run\/entries\.jsonl:3: horizon: absent/,
    good: (draft) => {
      delete entryOf(draft, "tool")["horizon"];
      listing(draft, entryOf(draft, "tool"), "bound-missing", "no horizon");
    },
  },
  {
    bad: (draft) => {
      for (const entry of trajectory(draft, 0)) delete entry["case"];
    },
    expected: "bounds BoundAttributeMissing",
    says: /run\/entries\.jsonl:1: case: absent/,
  },
  {
    bad: (draft) => {
      for (const entry of trajectory(draft, 0)) set(entry, { arm: "other", case: undefined });
    },
    expected: "bounds BoundAttributeMissing",
    says: /run\/entries\.jsonl:1: case: absent/,
  },
  {
    bad: (draft) => {
      for (const entry of trajectory(draft, 1)) entry["case"] = "nobody";
    },
    expected: "bounds EntryCaseUnknown",
    says: /case: "nobody" is not in cases\.jsonl/,
  },
  {
    bad: (draft) => set(entryOf(draft, "answer"), { horizon: late }),
    expected: "bounds HorizonMismatch",
    says: /:\d+: horizon: 2020-02-01T00:00:00Z, the case's is 2020-01-11T00:00:00Z/,
    good: (draft) => {
      entryOf(draft, "answer")["horizon"] = late;
      listing(
        draft,
        entryOf(draft, "answer"),
        "bound-horizon",
        `horizon ${late}, the case's is 2020-01-11T00:00:00Z`,
      );
    },
  },
  {
    bad: (draft) => set(entryOf(draft, "tool", 1), { as_of: late }),
    expected: "bounds AsOfMismatch",
    says: /:4: as_of: 2020-02-01T00:00:00Z, the case's horizon is 2020-01-11T00:00:00Z/,
    good: (draft) => set(entryOf(draft, "probe", 1), { as_of: late }),
  },
  {
    bad: (draft) => set(entryOf(draft, "tool", 1), { as_of: late }),
    expected: "bounds AsOfMismatch",
    says: /:4: as_of/,
    good: (draft) => {
      entryOf(draft, "tool", 1)["as_of"] = late;
      listing(
        draft,
        entryOf(draft, "tool", 1),
        "bound-as-of",
        `as_of ${late}, the horizon is 2020-01-11T00:00:00Z`,
      );
    },
  },
  {
    bad: (draft) => set(entryOf(draft, "end", 2), { view: digestOf("another") }),
    expected: "bounds ViewMismatch",
    says: /view: sha256:[0-9a-f]{64}, the stamp has sha256:/,
  },
  {
    bad: (draft) => {
      const gone = trajectory(draft, 2);
      draft.entries = draft.entries.filter((entry) => !gone.includes(entry));
    },
    expected: "bounds TrajectoryMissing",
    says: /case day-2020-01-14, arm routed, repeat 0, expected case day-2020-01-13, arm routed, repeat 0/,
  },
  {
    bad: (draft) => {
      const gone = trajectory(draft, -1);
      draft.entries = draft.entries.filter((entry) => !gone.includes(entry));
    },
    expected: "bounds TrajectoryMissing",
    says: /the end of the record, expected case day-2020-01-15/,
  },
  {
    bad: (draft) => {
      const again = trajectory(draft, -1).map((entry, i) => ({
        ...entry,
        repeat: 1,
        seq: draft.entries.length + i,
      }));
      draft.entries.push(...again);
    },
    expected: "bounds TrajectoryUnexpected",
    says: /repeat 1, expected the end of the record/,
  },
  {
    bad: (draft) => {
      for (const entry of trajectory(draft, 0)) entry["arm"] = "other";
    },
    expected: "bounds TrajectoryUnexpected",
    says: /arm other, repeat 0, expected case day-2020-01-11, arm routed/,
  },
];

const edited = (line: string, change: object) => canonical({ ...JSON.parse(line), ...change } as Json);
const raw = (draft: Draft, entry: Fields) => draft.bodies.get(entry["result"] as string) as Uint8Array;
/** A call's body as a DEFLATE stream of somebody's making. */
const deflated =
  (change: (stream: Buffer) => Uint8Array, more = 0) =>
  (draft: Draft) => {
    const call = entryOf(draft, "tool", 1);
    const { length } = raw(draft, call);
    set(call, { bytes: length + more });
    const bytes = change(deflateRawSync(raw(draft, call)));
    draft.streams.set(call["result"] as string, { bytes, length: length + more });
  };
const whole = (stream: Buffer) => stream;
export const blobForgeries: Forgery[] = [
  {
    bad: (draft) => {
      draft.index = (lines) => [lines[1] as string, lines[0] as string, ...lines.slice(2)];
    },
    expected: "blobs BlobIndexInvalid",
    says: /blobs\.idx:2: "sha256:.*", expected a digest after sha256:/,
  },
  {
    bad: (draft) => {
      draft.index = (lines) => [(lines[0] as string).replace(":", ": "), ...lines.slice(1)];
    },
    expected: "blobs BlobIndexInvalid",
    says: /blobs\.idx:1: /,
  },
  {
    bad: (draft) => {
      draft.index = (lines) => lines.map((line, i) => (i === 3 ? edited(line, { offset: 7 }) : line));
    },
    expected: "blobs BlobIndexInvalid",
    says: /"offset 7?.*", expected the offset \d+, where the body before ends/,
  },
  {
    bad: (draft) => {
      draft.pack = (bytes) => Buffer.concat([bytes, Buffer.from("x")]);
    },
    expected: "blobs BlobSizeMismatch",
    says: /run\/blobs\.pack: the file: \d+ bytes, expected \d+/,
  },
  {
    bad: (draft) => void draft.bodies.delete(entryOf(draft, "tool", 1)["result"] as string),
    expected: "blobs BlobMissing",
    says: /run\/entries\.jsonl:\d+: result: sha256:[0-9a-f]{64} is not in blobs\.idx/,
  },
  {
    bad: (draft) => set(entryOf(draft, "tool", 1), { bytes: 1 }),
    expected: "blobs BlobSizeMismatch",
    says: /run\/entries\.jsonl:4: bytes: 1 bytes, expected \d+/,
  },
  {
    bad: (draft) => {
      draft.pack = (bytes) => Buffer.from(bytes.map((byte, i) => (i === 100 ? byte ^ 1 : byte)));
    },
    expected: "blobs BlobDigestMismatch",
    says: /run\/blobs\.idx:\d+: sha256:[0-9a-f]{64}, expected sha256:/,
  },
  {
    bad: deflated((stream) => stream.subarray(0, -3)),
    expected: "blobs BlobDigestMismatch",
    says: /run\/blobs\.idx:\d+: unexpected end of file, expected a DEFLATE stream of \d+ bytes/,
    good: deflated(whole),
  },
  {
    bad: deflated(whole, -1),
    expected: "blobs BlobDigestMismatch",
    says: /expected a DEFLATE stream of \d+ bytes/,
  },
  {
    bad: deflated(whole, 1),
    expected: "blobs BlobSizeMismatch",
    says: /run\/blobs\.idx:\d+: the body: \d+ bytes, expected \d+/,
  },
  {
    bad: deflated((stream) => Buffer.concat([stream, Buffer.from("more")])),
    expected: "blobs BlobSizeMismatch",
    says: /run\/blobs\.idx:\d+: the DEFLATE stream: \d+ bytes, expected \d+/,
  },
  {
    bad: (draft) =>
      void draft.bodies.set(
        entryOf(draft, "tool", 1)["result"] as string,
        raw(draft, entryOf(draft, "tool", 1)).map((byte) => byte ^ 1),
      ),
    expected: "blobs BlobDigestMismatch",
    says: /run\/blobs\.idx:\d+: sha256:[0-9a-f]{64}, expected sha256:/,
  },
  {
    bad: (draft) => {
      draft.spoken = { pack: digestOf("another pack") };
    },
    expected: "blobs BlobDigestMismatch",
    says: /run\/blobs\.pack: sha256:[0-9a-f]{64}, expected sha256:/,
  },
  {
    bad: (draft) => {
      draft.index = (lines) =>
        lines.map((line, i) => (i === 3 ? edited(line, { length: 2 ** 30, stored: 2 ** 30 }) : line));
    },
    expected: "blobs LimitExceeded",
    says: /run\/blobs\.idx:4: bytes of a body: 1073741824, at most 268435456/,
  },
  {
    bad: (draft) => {
      draft.index = (lines) => lines.map((line, i) => (i === 3 ? edited(line, { stored: 0 }) : line));
    },
    expected: "blobs BlobIndexInvalid",
    says: /run\/blobs\.idx:4: "stored 0", expected at least one byte/,
  },
  {
    bad: (draft) => {
      draft.bodies.set(digestOf('{"rows":[]}'), Buffer.from('{"rows":[]}'));
      draft.spare = true;
    },
    expected: "blobs BlobUnreferenced",
    says: /run\/blobs\.idx:\d+: sha256:[0-9a-f]{64} is the result of no entry/,
    good: (draft) => void draft.bodies.set(digestOf('{"rows":[]}'), Buffer.from('{"rows":[]}')),
  },
  ...(
    [
      ["no JSON", "no JSON", /not valid JSON/],
      ["bytes that are no text", Uint8Array.of(0x7b, 0xff, 0x7d), /not UTF-8/],
      ["a list", "[]", /a list, expected an object/],
      ["null", "null", /null, expected an object/],
      ["rows that are none", '{"rows":7}', /rows: number, expected rows: a list/],
      ["a row that is none", '{"rows":[null]}', /rows\.0: no row/],
      ["a row whose ref is a structure", '{"rows":[{"ref":{"toString":1}}]}', /rows\.0: no row/],
      [
        "a row whose ref is a number",
        '{"rows":[{"available_at":"2020-01-02T00:00:00Z","body":{},"ref":7}]}',
        /rows\.0: no row/,
      ],
      [
        "a row whose time is absent",
        '{"rows":[{"body":{},"ref":"readings#x"}]}',
        /rows\.0: no row, expected a row with its ref and available_at, texts, and its body/,
      ],
      [
        "a row without cells",
        '{"rows":[{"available_at":"2020-01-02T00:00:00Z","body":null,"ref":"readings#x"}]}',
        /rows\.0: no row/,
      ],
      ["a fault that says nothing", '{"fault":{"class":"x"}}', /a fault without a message/],
      ["a number that is none", '{"rows":[{"available_at":"x","ref":1e999}]}', /canonical form/],
      ["half a character", '{"rows":[{"ref":"\\ud800"}]}', /lone surrogate/],
      ["a deep nest", `{"rows":[${"[".repeat(100)}${"]".repeat(100)}]}`, /nested deeper/],
    ] as const
  ).map(
    ([, body, says]): Forgery => ({
      bad: (draft) => rebody(draft, entryOf(draft, "tool", 1), body),
      expected: "blobs BodyInvalid",
      says,
    }),
  ),
  ...(
    [
      ["{}", /object, expected a list of replies/],
      ["[null]", /0: no reply/],
      ['[{"kind":"past","ref":"x","reply":null}]', /0: no reply/],
      ['[{"kind":"past","ref":"x","reply":{"rows":1}}]', /0: no reply/],
    ] as const
  ).map(
    ([body, says]): Forgery => ({
      bad: (draft) => rebody(draft, entryOf(draft, "probe", 1), body),
      expected: "blobs BodyInvalid",
      says,
    }),
  ),
];
