// Pages that were left as they were published, and that a rule may stumble over: schedules, plans, names with years, words
// that look like names. Nothing in them is later than their date: their true tier is 0 in every case. `dates`, `later` and
// `states` are those of edited.mjs: what the floor's rule meets in them.

export const lawful = [
  {
    published: "2030-06-18",
    title: "Summer frequency",
    text: "The Board met on Tuesday and agreed the summer boats by five votes to two. From 6 July 2030 the Harbour Line will make 14 crossings a day, with the last at dusk. Councillor Lister asked that dusk be defined.",
    dates: ["2030-07-06"],
    states: [["Harbour Line", "number", "2030-07-06"]],
  },
  {
    published: "2030-07-08",
    title: "Tarn Loop: notice to passengers",
    text: "The piers have been scraped and the bells oiled. The first boat round is to leave Tarn Point on 3 August 2030. Walkers are asked to keep off the ramps.",
    dates: ["2030-08-03"],
    again: [
      {
        published: "2030-07-18",
        text: "The piers have been scraped and the bells oiled. The first boat round is to leave Tarn Point on 9 August 2030, and not on the day that was given here before. Walkers are asked to keep off the ramps.",
        dates: ["2030-08-09"],
      },
    ],
  },
  {
    published: "2030-08-20",
    title: "What the harbour store holds",
    text: "Stocktaking took a week, and found the missing ladder. The store holds 2031 sacks of meal, forty drums of oil and a stuffed pike. The pike is not for sale.",
  },
  {
    published: "2030-08-26",
    title: "Winter timetable agreed",
    text: "There will be fewer boats, as there are every winter, but the last will be later. The Board has promised that the Hollin Crossing will keep its winter times from 21 September 2030. Copies can be had from the hut.",
    dates: ["2030-09-21"],
  },
  {
    published: "2030-09-08",
    title: "Fares: your rights",
    text: "A ticket is a contract, and the Board has at last had it printed on the back. If the Outer Sound Service is delayed beyond 5 October 2030, season fares will be given back in full. Single fares are a matter between you and the purser.",
    dates: ["2030-10-05"],
    states: [["Outer Sound Service", "word", "2030-10-05"]],
  },
  {
    published: "2030-09-22",
    title: "On the printed sheet",
    text: "The autumn sheet is out, in brown. It gives the first of the Tarn Loop's autumn sailings as 26 October 2030, at nine. Last year's sheet gave a day as well.",
    dates: ["2030-10-26"],
  },
  {
    published: "2030-10-02",
    title: "Cabins to Greyhaven",
    text: "Twelve bunks, two basins and a steward with a good hand for cocoa: that is the plan. The Night Boat is to make her first trip on 8 November 2030. Bookings are taken at the long quay.",
    dates: ["2030-11-08"],
  },
  {
    published: "2030-11-01",
    title: "The Warden's diary",
    text: "A busy month, with two christenings and a pump. The Warden has agreed that the Marrow Bay Shuttle will be opened by her own hand on 20 November 2030, rain or shine. She will wear the green hat.",
    dates: ["2030-11-20"],
    states: [["Marrow Bay Shuttle", "word", "2030-11-20"]],
  },
  {
    published: "2031-01-10",
    title: "Why 2035?",
    text: "Because that is when the isles will have governed themselves for a hundred years, and the Board likes to be early. The Jubilee 2035 Express is painted in the colours of the first flag. Few can say which way up they go.",
  },
  {
    published: "2031-02-01",
    title: "Birds of the breakwater",
    text: "The kittiwakes are back on the north face, two hundred pairs or so. A kittiwake sat on the bollard by the hut for an hour and would not be moved. Gulls, of which we have too many, were not counted.",
  },
  {
    published: "2031-03-28",
    title: "A word on tides",
    text: "Ebb and flood are printed in two inks this year, and the colour-blind have complained. On the ebb the mud at Cobb's Landing shows for a furlong, and children may dig there. Watch the bell.",
    later: ["Ebb"],
  },
  {
    published: "2031-04-18",
    title: "The hut is to go",
    text: "It leans, it leaks, and it has been loved for sixty years. A new one, of brick, is planned for September 2031. Suggestions for the weathercock are welcome.",
    dates: ["2031-09"],
  },
  {
    published: "2031-04-24",
    title: "Spring fares",
    text: "A penny more for adults and nothing more for hens. The new fares are charged from 17 May 2031, on all boats. Old books of tickets may be used up.",
    dates: ["2031-05-17"],
  },
  {
    published: "2031-05-28",
    title: "An old boat's papers",
    text: "The Petrel has passed her survey for the twenty-second time. Her licence now runs to the end of 2033, which the surveyor called optimistic. She has been given a new kettle.",
    dates: ["2033"],
  },
  {
    published: "2031-06-28",
    title: "Before you board",
    text: "You may board when the chain is down, and not before. Bicycles may travel if the mate says so, and the mate may say no. Dogs are welcome in May as in any other month, provided that they do not sing.",
  },
  {
    published: "2031-06-30",
    title: "Tickets for July",
    text: "The hut has them in three colours. Marrow Bay Shuttle crossings for 26 July 2031 are on sale at 4.50 a head, or 12.00 for a family. Grandmothers count as family.",
    dates: ["2031-07-26"],
  },
  {
    published: "2031-07-01",
    title: "A launch at the yard",
    text: "The Warden's bottle broke at the third swing. The Northern Wren went down the ways sideways, as she was meant to, and soaked the choir. Her papers are still with the registrar.",
    later: ["Northern Wren"],
  },
  {
    published: "2031-09-10",
    title: "Saltcote Flyers: a new ground",
    text: "The football side has played on the glebe since the glebe was drained. The new ground of the Saltcote Flyers will be opened on 27 September 2031 with a match against the brine works. Entry is by turnip.",
    dates: ["2031-09-27"],
  },
  {
    published: "2031-09-20",
    title: "A plan for the long run",
    text: "The Board's plan has forty pages and one idea. By 2040 it wants every boat in the isles to run on batteries, and every pier to have a plug. The skippers were shown the plan and asked about the plug.",
    dates: ["2040"],
  },
  {
    published: "2031-10-22",
    title: "More room on the tidal boat",
    text: "The benches have been turned round, and a bulkhead has gone. The Ebb will have 96 seats from 1 November 2031, eleven of them dry. Standing is at the mate's discretion.",
    dates: ["2031-11-01"],
    states: [["Ebb", "number", "2031-11-01"]],
  },
  {
    published: "2031-11-25",
    title: "Sale of lost property",
    text: "There are nine umbrellas, a tuba and a quantity of single gloves. All will be sold in the hall on 13 December 2031 unless they are claimed. The tuba has been claimed twice.",
    dates: ["2031-12-13"],
  },
  {
    published: "2031-11-28",
    title: "Holiday closing",
    text: "The hut and the office shut at noon on the eve. They open again on 2 January 2032, and the boats keep their Sunday times in between. Post early.",
    dates: ["2032-01-02"],
  },
  {
    published: "2032-02-20",
    title: "Maps of the Sound",
    text: "The library has hung all eleven, from the monk's to the survey's. They can be seen until 31 March 2032, on weekdays. The monk's has a dragon where Pellow should be.",
    dates: ["2032-03-31"],
  },
  {
    published: "2032-04-10",
    title: "Dogs, once more",
    text: "Each passenger may bring one dog, and each dog one passenger. We may have put that badly. Muzzles are lent at the hut.",
  },
];
