// What an agent might type, case by case, and what a check of queries must make of it, judged by hand: `finds` are the
// entities first available after the case's horizon that nothing excuses; `subtracted` those that the case's own text names
// or that were served before. Names that nobody knows, years, months and parts of words are neither.

/** [case, query, finds, subtracted]. */
export const queries = [
  // By name, before the register has them.
  ["harbour-line-2030-05-24", "Storm Heron refit crew", ["Storm Heron"], []],
  ["harbour-line-2030-05-24", "Harbour Line opened", [], []],
  ["skerry-link-2030-06-08", "has the Kittiwake replaced the Skerry boat?", ["Kittiwake"], []],
  ["skerry-link-2030-06-08", "kittiwake colony on the north face", [], []],
  ["outer-sound-service-2030-07-27", "Saltcote Flyer timetable", ["Saltcote Flyer"], []],
  ["outer-sound-service-2030-07-27", "Saltcote Flyers football results", [], []],
  ["tarn-loop-2030-08-10", "Tarn Loop Express speed limit", ["Tarn Loop Express"], []],
  ["tarn-loop-2030-08-10", "the Tarn Loop expressly forbidden", [], []],
  [
    "hollin-crossing-2030-09-21",
    "Whinfell Connector and Copper Coast Line fares",
    ["Whinfell Connector", "Copper Coast Line"],
    [],
  ],
  // By alias.
  ["hollin-crossing-2030-07-06", "PWT leak", ["Pellow Water Taxi"], []],
  ["tarn-loop-2030-10-26", "jubilee express naming contest", ["Jubilee 2035 Express"], []],
  ["outer-sound-service-2030-10-05", "is CCL running?", ["Copper Coast Line"], []],
  ["saltcote-flyer-2030-12-21", "Holm boat telephone", ["Far Holm Packet"], []],
  ["harbour-line-2030-12-07", "Wren launch bottle", ["Northern Wren"], []],
  ["skerry-link-2030-08-24", "the Night Boat to Greyhaven", ["Greyhaven Night Boat"], []],
  // In another case, in another spelling.
  ["marrow-bay-shuttle-2030-06-22", "LANTERN RUN first sailing", ["Lantern Run"], []],
  ["skerry-link-2031-01-11", "northern wren", ["Northern Wren"], []],
  ["hollin-crossing-2031-01-25", "tidewater mutual claims office", ["Tidewater Mutual"], []],
  ["marrow-bay-shuttle-2030-11-23", "Ｓｅａ Ｃａｍｐｉｏｎ trials", ["Sea Campion"], []],
  ["saltcote-flyer-2031-02-22", "Holm   Packet  Company shares", ["Holm Packet Company"], []],
  // The question itself names it.
  ["ebb-2031-05-10", "Ebb", [], ["Ebb"]],
  ["ebb-2031-05-10", "the Ebb certificate and the May", ["May"], ["Ebb"]],
  ["whinfell-connector-2031-09-06", "Whinfell Connector opened", [], ["Whinfell Connector"]],
  ["whinfell-connector-2031-09-06", "WHINFELL CONNECTOR first sailing", [], ["Whinfell Connector"]],
  [
    "whinfell-connector-2031-09-06",
    "Whinfell boat Tidewater Mutual",
    ["Tidewater Mutual"],
    ["Whinfell Connector"],
  ],
  ["far-holm-packet-2032-01-24", "Far Holm Packet delayed", [], ["Far Holm Packet"]],
  ["far-holm-packet-2032-01-24", "Holm boat delayed", [], ["Far Holm Packet"]],
  // Served before: the page of the first query names the ship that the second asks for.
  ["harbour-line-2030-09-07", "photographs from the coal quay weighbridge", [], []],
  ["harbour-line-2030-09-07", "Storm Heron mate", [], ["Storm Heron"]],
  // Known by then: no finding.
  ["greyhaven-night-boat-2030-11-09", "Greyhaven Night Boat Storm Heron", [], []],
  ["ebb-2031-06-21", "Ebb Kittiwake Pellow Boats", [], []],
  ["tarn-loop-express-2031-12-06", "Tarn Loop Express and the May", [], []],
  ["far-holm-packet-2032-03-20", "Far Holm Packet Sea Campion", [], []],
  // Years, months, verbs, parts of words, names that nobody knows.
  ["harbour-line-2030-09-07", "Harbour Line 2031 2032 timetable", [], []],
  ["harbour-line-2030-09-07", "harbour line jubilee 2035", [], []],
  ["hollin-crossing-2031-01-25", "may the Hollin Crossing be late", [], []],
  ["hollin-crossing-2031-01-25", "Hollin Crossing 3 May 2031", [], []],
  ["harbour-line-2031-05-24", "Harbour Line before 24 May 2031", [], []],
  ["greyhaven-night-boat-2031-03-22", "ebb tide at Greyhaven, low water", [], []],
  ["jubilee-2035-express-2031-02-08", "Jubilee 2035 Express ebbing support", [], []],
  ["saltcote-flyer-2030-12-21", "Brindle Star, Captain Ostrander", [], []],
  ["outer-sound-service-2031-04-05", "Zephyr Lines merger", [], []],
  ["lantern-run-2031-03-08", "lantern runs on the rock", [], []],
];
