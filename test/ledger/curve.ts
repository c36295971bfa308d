/** The curve of Ed25519 by big integers (RFC 8032 section 5.1): slow, short, and nothing that src uses. */

export const P = (1n << 255n) - 19n;
const mod = (a: bigint) => ((a % P) + P) % P;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let b = mod(base), e = exponent; e > 0n; e >>= 1n, b = (b * b) % P)
    if (e & 1n) result = (result * b) % P;
  return result;
}
const inverse = (a: bigint) => power(a, P - 2n);
const D = mod(-121665n * inverse(121666n));

type Point = readonly [bigint, bigint];

/** Affine addition, -x² + y² = 1 + d·x²·y². */
function add([x1, y1]: Point, [x2, y2]: Point): Point {
  const k = mod(D * x1 * x2 * y1 * y2);
  return [mod((x1 * y2 + x2 * y1) * inverse(1n + k)), mod((y1 * y2 + x1 * x2) * inverse(1n - k))];
}

/** Section 5.1.3, but y is taken modulo p, and x = 0 may have either sign: as the most lenient of readers does. */
function decode(bytes: Uint8Array): Point | undefined {
  const number = BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
  const sign = number >> 255n;
  const y = mod(number & ((1n << 255n) - 1n));
  const x2 = mod((y * y - 1n) * inverse(D * y * y + 1n));
  let x = power(x2, (P + 3n) / 8n);
  if (mod(x * x - x2) !== 0n) x = mod(x * power(2n, (P - 1n) / 4n));
  if (mod(x * x - x2) !== 0n) return undefined;
  return [(x & 1n) === sign ? x : mod(-x), y];
}

/** Is it a point, and eight times it the neutral one? */
export function isSmallOrder(bytes: Uint8Array): boolean {
  const point = decode(bytes);
  if (point === undefined) return false;
  const two = add(point, point);
  const four = add(two, two);
  const [x, y] = add(four, four);
  return x === 0n && y === 1n;
}
