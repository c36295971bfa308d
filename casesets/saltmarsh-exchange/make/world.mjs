// The exchange: who was a member of its list and when, what each was called, how its price moved, and what became of it.
// None of it is real. Every date is a local one; what the tables say of them is spelled out by make.mjs.

/** No trading on these, nor at weekends. */
export const holidays = ["01-01", "12-25"];
export const [FIRST_DAY, LAST_DAY] = ["2015-01-02", "2018-01-12"];

/**
 * A member has an id that says nothing and stays. `names`: [since, ticker, name]. `stints` of the list: from, and the day on
 * which it is a member no more; `corrected`: what was said of it later, and when. `priced`: from and until when there is a
 * price, without an end to the last day. `start`: the first price in hundredths; `drift`: [until, basis points a day];
 * `swing`: basis points. `left`: the day of the delisting, what holders got beyond the last price, why, when that was said.
 */
export const members = [
  {
    id: "m01",
    names: [["2011-04-04", "ALDR", "Alder Freight"]],
    stints: [{ from: "2011-04-04" }],
    priced: [["2015-01-02"]],
    start: 2410,
    drift: [["2018-02-01", 6]],
    swing: 90,
  },
  {
    id: "m02",
    names: [["2011-04-04", "BRIN", "Brine Works"]],
    stints: [{ from: "2011-04-04" }],
    priced: [["2015-01-02"]],
    start: 3875,
    drift: [["2018-02-01", 9]],
    swing: 100,
  },
  {
    id: "m03",
    names: [["2012-09-10", "COBL", "Cobble Rail"]],
    stints: [{ from: "2012-09-10" }],
    priced: [["2015-01-02"]],
    start: 5120,
    drift: [["2018-02-01", 5]],
    swing: 80,
  },
  {
    id: "m04",
    names: [
      ["2011-04-04", "DRFT", "Drift Timber"],
      ["2016-10-03", "NWDG", "Northwood Group"],
    ],
    stints: [{ from: "2011-04-04" }],
    priced: [["2015-01-02"]],
    start: 1890,
    drift: [["2018-02-01", 8]],
    swing: 110,
  },
  {
    // Merged for cash above its last price.
    id: "m05",
    names: [["2011-04-04", "EDGL", "Eddy Glass"]],
    stints: [{ from: "2011-04-04", to: "2016-06-13" }],
    priced: [["2015-01-02", "2016-06-13"]],
    start: 4460,
    drift: [["2018-02-01", 14]],
    swing: 90,
    left: ["2016-06-13", 0.18, "merger: paid in cash", "2016-06-14T17:00"],
  },
  {
    // Merged for stock, which was worth a little less than its last price.
    id: "m06",
    names: [["2013-02-18", "FTHM", "Fathom Salt"]],
    stints: [{ from: "2013-02-18", to: "2017-03-20" }],
    priced: [["2015-01-02", "2017-03-20"]],
    start: 2975,
    drift: [["2018-02-01", 14]],
    swing: 90,
    left: ["2017-03-20", -0.04, "merger: paid in stock of m01", "2017-03-21T17:00"],
  },
  {
    // Doubles, and is bankrupt within a month.
    id: "m07",
    names: [
      ["2011-04-04", "GANT", "Gannet Lines"],
      ["2017-08-24", "GANTQ", "Gannet Lines in liquidation"],
    ],
    stints: [{ from: "2011-04-04", to: "2017-08-23" }],
    priced: [["2015-01-02", "2017-08-23"]],
    start: 2230,
    drift: [
      ["2016-07-01", 1],
      ["2017-08-01", 30],
      ["2018-02-01", -600],
    ],
    swing: 120,
    left: ["2017-08-23", -0.95, "bankruptcy", "2017-08-28T17:00"],
  },
  {
    // Left the list and is traded on; when it left was said twice.
    id: "m08",
    names: [["2011-04-04", "HERN", "Heron Mills"]],
    stints: [{ from: "2011-04-04", to: "2016-03-15", corrected: ["2016-02-16", "2016-05-10T17:00"] }],
    priced: [["2015-01-02"]],
    start: 1340,
    drift: [
      ["2016-03-01", -12],
      ["2018-02-01", 6],
    ],
    swing: 110,
  },
  {
    // Left the list and is traded on.
    id: "m09",
    names: [["2011-04-04", "ISLT", "Islet Foods"]],
    stints: [{ from: "2011-04-04", to: "2017-05-16" }],
    priced: [["2015-01-02"]],
    start: 6015,
    drift: [
      ["2017-05-16", -3],
      ["2018-02-01", 25],
    ],
    swing: 80,
  },
  {
    // Suspended for seven months, in which it has no price, and a member again.
    id: "m10",
    names: [["2011-04-04", "JTTY", "Jetty Power"]],
    stints: [{ from: "2011-04-04", to: "2016-04-18" }, { from: "2016-11-14" }],
    priced: [["2015-01-02", "2016-04-18"], ["2016-11-14"]],
    start: 3305,
    drift: [
      ["2016-04-18", 12],
      ["2018-02-01", 10],
    ],
    swing: 100,
  },
  {
    // Listed on the exchange before it is a member of the list.
    id: "m11",
    names: [["2015-12-07", "KELP", "Kelp Chemicals"]],
    stints: [{ from: "2016-02-01" }],
    priced: [["2015-12-07"]],
    start: 1500,
    drift: [["2018-02-01", 11]],
    swing: 130,
  },
  {
    id: "m12",
    names: [["2015-06-15", "LNTN", "Lantern Mutual"]],
    stints: [{ from: "2015-06-15" }],
    priced: [["2015-06-15"]],
    start: 2800,
    drift: [["2018-02-01", 7]],
    swing: 90,
  },
  {
    // Struck off after a long fall; for a week nobody says what its holders got.
    id: "m13",
    names: [["2012-01-09", "MRRM", "Marram Textiles"]],
    stints: [{ from: "2012-01-09", to: "2016-10-27" }],
    priced: [["2015-01-02", "2016-10-27"]],
    start: 2650,
    drift: [["2018-02-01", -16]],
    swing: 120,
    left: ["2016-10-27", -0.35, "struck off: reports not filed", "2016-11-02T17:00"],
  },
  {
    // Poor, and still there.
    id: "m14",
    names: [["2011-04-04", "NTTL", "Nettle Press"]],
    stints: [{ from: "2011-04-04" }],
    priced: [["2015-01-02"]],
    start: 2090,
    drift: [["2018-02-01", -3]],
    swing: 90,
  },
  {
    id: "m15",
    names: [["2011-04-04", "OYST", "Oyster Paper"]],
    stints: [{ from: "2011-04-04", to: "2015-11-06" }],
    priced: [["2015-01-02", "2015-11-06"]],
    start: 980,
    drift: [["2018-02-01", -10]],
    swing: 110,
    left: ["2015-11-06", -0.1, "struck off: too few shareholders", "2015-11-09T17:00"],
  },
];

/** A price that was printed wrong, in hundredths more than it was, and the list in which it was put right. */
export const misprint = { member: "m03", day: "2016-09-01", open: 500, listed: "2016-09-08" };

/** Who is a member on the last day: a list that could only be made at the end. */
export const survivors = members.filter(({ stints }) => stints.at(-1).to === undefined).map(({ id }) => id);
