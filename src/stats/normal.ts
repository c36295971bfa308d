/** The standard normal distribution: cumulative probability and quantile in double precision. */

/** Σ c[i]·xⁱ by Horner's rule. */
function polynomial(coefficients: readonly number[], x: number): number {
  let value = 0;
  for (let i = coefficients.length - 1; i >= 0; i--) value = value * x + coefficients[i]!;
  return value;
}

// Cody (1969), Math. Comp. 23(107): minimax rationals for the error function, as scaled for Φ by Cody (1993),
// ACM TOMS 19(1), algorithm 715, ANORM. Lowest power first.
const CENTRE_TOP = [
  18154.98125334356, 1067.6894854603709, 161.02823106855587, 2.2352520354606837, 0.06568233791820745,
];
const CENTRE_BOTTOM = [45507.78933502673, 10260.932208618979, 976.0985517377767, 47.202581904688245, 1];
const MIDDLE_TOP = [
  9842.714838383978, 11602.65143764735, 6848.190450536283, 2494.5375852903726, 597.2702763948002,
  93.50665613217785, 8.883149794388377, 0.39894151208813466, 1.0765576773720192e-8,
];
const MIDDLE_BOTTOM = [
  19685.429676859992, 38912.00328609327, 34900.95272114598, 18615.571640885097, 6485.558298266761,
  1519.3775994075547, 235.387901782625, 22.266688044328117, 1,
];
const FAR_TOP = [
  2.9112874951168793e-5, 0.0014216191932278934, 0.022235277870649807, 0.12740116116024736, 0.215898534057957,
  0.023073441764940174,
];
const FAR_BOTTOM = [
  7.297515550839662e-5, 0.0037823963320275824, 0.06598813786892856, 0.4682382124808651, 1.284260096144911, 1,
];
const CENTRE_LIMIT = 0.67448975;
const MIDDLE_LIMIT = 5.656854249492381; // √32
const INV_SQRT_2PI = 0.3989422804014327;

/**
 * Φ(x), in [0, 1], relative error below 1e-13 in both the centre and the lower tail. Throws RangeError for
 * NaN. Cody (1969, 1993).
 */
export function normalCdf(x: number): number {
  if (Number.isNaN(x)) throw new RangeError("x: expected a number, got NaN");
  const distance = Math.abs(x);
  if (distance <= CENTRE_LIMIT) {
    const square = x * x;
    return 0.5 + (x * polynomial(CENTRE_TOP, square)) / polynomial(CENTRE_BOTTOM, square);
  }
  const tail = upperTail(distance);
  return x < 0 ? tail : 1 - tail;
}

function upperTail(x: number): number {
  if (x > 40) return 0;
  // exp(−x²/2) in two factors, the first exact in x²: Cody's guard against the rounding of x².
  const coarse = Math.trunc(x * 16) / 16;
  const rest = (x - coarse) * (x + coarse);
  const density = Math.exp(-coarse * coarse * 0.5) * Math.exp(-rest * 0.5);
  if (x <= MIDDLE_LIMIT) return (density * polynomial(MIDDLE_TOP, x)) / polynomial(MIDDLE_BOTTOM, x);
  const inverse = 1 / (x * x);
  const correction = (inverse * polynomial(FAR_TOP, inverse)) / polynomial(FAR_BOTTOM, inverse);
  return (density * (INV_SQRT_2PI - correction)) / x;
}

// Wichura (1988), Applied Statistics 37(3), algorithm AS 241, PPND16. Lowest power first.
const A = [
  3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987,
  67265.7709270087, 33430.57558358813, 2509.0809287301227,
];
const B = [
  1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
  28729.085735721943, 5226.495278852854,
];
const C = [
  1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
  0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
];
const D = [
  1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
  0.0005475938084995345, 1.0507500716444169e-9,
];
const E = [
  6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
  0.0012426609473880784, 2.7115555687434876e-5, 2.0103343992922881e-7,
];
const F = [
  1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133,
  1.8463183175100548e-5, 1.421511758316446e-7, 2.0442631033899397e-15,
];

/**
 * Φ⁻¹(p), relative error about 1e-15; −Infinity at 0, Infinity at 1. Throws RangeError outside [0, 1] or for
 * NaN. Wichura (1988), AS 241.
 */
export function normalQuantile(p: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`p: expected a number in [0, 1], got ${p}`);
  const offset = p - 0.5;
  if (Math.abs(offset) <= 0.425) {
    const r = 0.180625 - offset * offset;
    return (offset * polynomial(A, r)) / polynomial(B, r);
  }
  const tail = offset < 0 ? p : 1 - p;
  if (tail === 0) return offset < 0 ? -Infinity : Infinity;
  const r = Math.sqrt(-Math.log(tail));
  const size =
    r <= 5 ? polynomial(C, r - 1.6) / polynomial(D, r - 1.6) : polynomial(E, r - 5) / polynomial(F, r - 5);
  return offset < 0 ? -size : size;
}
