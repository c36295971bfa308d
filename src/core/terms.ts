/** The terms of a text: what search indexes, and on whose boundaries a name is matched. */

export type Term = {
  /** NFKC, lower case. */
  readonly term: string;
  /** Offsets into `nfkc(text)`; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  /** Its first letter is upper (or title) case. */
  readonly capital: boolean;
};

/**
 * NFKC of a text in which U+034F ends each run of marks after the 30th, as in stream-safe text: ordering marks takes time in
 * the square of their run. `text.normalize("NFKC")` where no run is longer; of its own result the same again. UAX #15, 13.
 */
export function nfkc(text: string): string {
  // Again after it, since one mark may become two, and a letter may give up its own.
  return withRunsBroken(withRunsBroken(text).normalize("NFKC"));
}

const withRunsBroken = (text: string): string => text.replace(LONG_RUN, "$&\u034f");

/** 30 marks before another; with the halfwidth sound marks, which become marks, and without what breaks a run. */
const LONG_RUN = /(?:(?!\u034f)[\p{M}\uff9e\uff9f]){30}(?=(?!\u034f)[\p{M}\uff9e\uff9f])/gu;

/**
 * Runs of letters, marks and digits that begin with a letter or a digit, in their order. Scripts written without
 * spaces have no such runs: a Han, Hiragana, Katakana or Thai character, with the marks on it, is a term of its own.
 */
export function termsOf(text: string): readonly Term[] {
  const normal = nfkc(text);
  const terms: Term[] = [];
  let from = 0;
  while (from < normal.length) {
    const first = classAt(normal, from);
    let to = from + widthAt(normal, from);
    if (first > MARK) {
      let letter = first;
      for (let next = classAt(normal, to); belongs(first, next); next = classAt(normal, to)) {
        if (letter < LETTER) letter = next;
        to += widthAt(normal, to);
      }
      const written = normal.slice(from, to);
      const lower = written.toLowerCase();
      const term = lower === written ? written : nfkc(lower);
      terms.push({ term, from, to, capital: letter === CAPITAL });
    }
    from = to;
  }
  return terms;
}

const belongs = (first: number, next: number): boolean =>
  first === OWN ? next === MARK : next >= MARK && next < OWN;

/** What a character is to a term. */
const NONE = 1;
const MARK = 2;
const DIGIT = 3;
const LETTER = 4;
const CAPITAL = 5;
const OWN = 6;

/** Classes by code point, found out once each: 0 until then. */
const classes = new Uint8Array(0x110000);

/** 0 beyond the end. */
function classAt(text: string, at: number): number {
  const code = text.codePointAt(at);
  if (code === undefined) return 0;
  const known = classes[code] as number;
  return known === 0 ? classify(code) : known;
}

function classify(code: number): number {
  const character = String.fromCodePoint(code);
  const kind = /[\p{L}\p{N}]/u.test(character) ? kindOf(character) : /\p{M}/u.test(character) ? MARK : NONE;
  classes[code] = kind;
  return kind;
}

function kindOf(character: string): number {
  // Extensions, since the sound mark of both kana belongs to neither.
  if (/[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]/u.test(character)) return OWN;
  if (/[\p{Lu}\p{Lt}]/u.test(character)) return CAPITAL;
  return /\p{L}/u.test(character) ? LETTER : DIGIT;
}

const widthAt = (text: string, at: number): number => ((text.codePointAt(at) as number) > 0xffff ? 2 : 1);
