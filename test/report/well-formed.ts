/** A strict reader of the XML that pictures are written in: what is wrong with it, and the texts that it shows. */

const TOKEN = /<(\/?)([A-Za-z][\w:-]*)((?:\s+[\w:-]+=(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y;
const ALLOWED = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

/** null where the text is one well-formed element, without doctype, comments or instructions (XML 1.0, 2.1). */
export function xmlFault(text: string): string | null {
  if (!ALLOWED.test(text)) return "a character that XML has not";
  const open: string[] = [];
  let elements = 0;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(text);
    if (token === null) return `no tag and no text at ${at}: ${text.slice(at, at + 60)}`;
    const [, closing, name, attributes, empty, plain] = token;
    if (/&(?!(?:lt|gt|amp|quot|apos|#\d+);)/.test(plain ?? attributes ?? "")) return `a bare & at ${at}`;
    if (plain !== undefined) {
      if (open.length === 0 && plain.trim() !== "") return `text outside at ${at}`;
    } else if (closing === "/") {
      if (open.pop() !== name) return `${name} closed at ${at}, not open`;
    } else {
      if (open.length === 0 && elements > 0) return `a second root at ${at}`;
      elements += 1;
      if (empty === "") open.push(name as string);
    }
  }
  return open.length > 0 ? `${open.join(", ")} not closed` : elements === 0 ? "no element" : null;
}

/** What a reader of the picture sees, line by line. */
export function textsOf(svg: string): string[] {
  return [...svg.matchAll(/<(text|tspan)\b[^>]*>([^<]+)</g)].map(([, , shown]) =>
    (shown as string)
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&"),
  );
}
