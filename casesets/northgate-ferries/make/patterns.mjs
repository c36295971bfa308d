// Sentences of the ordinary pages: reports of what became of a promise, and pages of no consequence. {route}, {date}, {ship},
// {place}, {who} and {few} are filled in; all that is filled in was so on the day of the page.

export const places = [
  "Northgate",
  "Skerry Quay",
  "Hollin",
  "Marrow Bay",
  "Tarn Point",
  "Whinfell",
  "Saltcote",
  "Eddery",
  "Greyhaven",
  "Cobb's Landing",
];
export const people = [
  "Ines Calloway",
  "Rufus Penhale",
  "Dagny Orr",
  "Tomas Veil",
  "Maud Lister",
  "Abel Quince",
  "Nell Farrow",
  "Piers Ottaway",
];

export const openings = {
  titles: [
    "{route}: away at last",
    "A first boat from {place}",
    "Good news at the hut",
    "{route} carries passengers",
    "Ropes off",
    "As promised, more or less",
  ],
  sentences: [
    "The {route} opened on {date}, with {few} aboard and a fiddler.",
    "It opened on {date}, did the {route}, and there was cake.",
    "On {date} the {route} opened, and {who} cut the ribbon with a fish knife.",
    "After all the talk the {route} opened on {date}, in weather that nobody had ordered.",
    "{who} can stop writing letters: the {route} opened on {date}.",
    "The Board kept its word, and the {route} opened on {date}.",
    "Opened on {date}: the {route}, with the {ship} in clean paint.",
    "Since {date} the {route} has been running, and it opened to a full deck.",
  ],
};

export const delays = {
  titles: [
    "{route}: not yet",
    "No boat from {place}",
    "The Board regrets",
    "{route} put off",
    "Another notice in the window",
    "Patience is asked for",
  ],
  sentences: [
    "The {route} was delayed on {date}, and the notice gives no new day.",
    "On {date} the Board told the hut, and the hut told everyone, that the {route} is delayed.",
    "{who} had it from the purser on {date}: the {route} is delayed.",
    "Delayed, said the card that went up on {date} where the {route}'s times should be.",
    "The {route} is delayed, the Board wrote on {date}, for want of a part.",
    "It was given out on {date} that the {route} would be delayed, and nobody fainted.",
    "The crew of the {ship} knew by breakfast on {date} that the {route} was delayed.",
    "As of {date} the {route} stands delayed, and the season tickets with it.",
  ],
};

/** What else is said of a boat that sails, of one that does not, and of either. */
export const afterOpening = [
  "The first to buy a ticket was {who}, who had brought a folding chair.",
  "At {place} they rang the bell, which is only done for boats and weddings.",
  "A goat was carried free.",
  "The purser ran out of change before the boat had cleared the mole.",
  "The hut will sell tickets from seven, the post office from nine.",
  "The {ship} looked well, or as well as she ever does.",
  "The crew of the {ship} had their photograph taken with the mop.",
  "{who} said a few words, and then a few more.",
  "There was a collection for the lifeboat, which made {few} crowns.",
  "Nobody was sick, though the mayor of {place} came near it.",
];
export const afterDelay = [
  "A petition from {place} has {few} names, of which some are dogs.",
  "It is not the first such notice this year, but it is the best spelt.",
  "School will start late for those who come over the water.",
  "The vicar of {place} prayed for the engine by name.",
  "{who} asked in open meeting who pays, and was told that we all do.",
  "Parcels go as before, on the coal boat, and at your own risk.",
  "The inn at {place} has rooms for those who are stuck, and soup for those who are not.",
  "Nobody at the yard would say which part, or where it had got to.",
  "The {ship} will take the mail, and the calves if they are quiet.",
  "{who} has offered to row.",
];
export const afterEither = [
  "The Board thanked its staff, its lawyers and the weather.",
  "The mainland paper got the name of the boat wrong again.",
  "Those who had laid bets at the inn at {place} were paid in beer.",
  "The tide, as {who} pointed out, waits for no committee.",
  "Old tickets may be used until they fall apart.",
];

/** Pages of no consequence, by theme: openings, then what follows. */
export const themes = [
  {
    titles: ["Weather for the week", "Wind and wave", "From the met hut"],
    opens: [
      "A ridge is building over the isles, and {place} should see the sun.",
      "It blew hard from the west all night and took two slates off the chapel at {place}.",
      "Fog came up the Sound at breakfast and stayed for dinner.",
      "The glass at {place} has not been so low since it was dropped.",
    ],
    follows: [
      "Small craft should stay where they are.",
      "{who} has taken in the washing, which is as good a sign as any.",
      "Seas will be moderate, and tempers short.",
      "The buoy off {place} reported a swell of {few} feet and then reported nothing.",
      "Rain is likely before night.",
      "It may clear by evening, if the wind backs.",
      "The {ship} came in early and doubled her lines.",
    ],
  },
  {
    titles: ["Council notes", "From the gallery", "Minutes, abridged"],
    opens: [
      "The council sat for three hours and broke two chairs.",
      "{who} moved that the minutes be read, and regretted it.",
      "There were {few} present, not counting the caretaker.",
      "The matter of the lamp at {place} was raised once more.",
    ],
    follows: [
      "It was agreed to write to the mainland.",
      "It was agreed not to write to the mainland.",
      "The drains committee reported, and windows were opened.",
      "{who} declared an interest in gravel.",
      "A vote on the bench at {place} was tied and will be held again.",
      "The rate was set at what it was.",
      "The meeting rose when the tea came.",
    ],
  },
  {
    titles: ["Nature diary", "Seen from the dyke", "Tide wrack"],
    opens: [
      "The eiders are back off {place}, muttering.",
      "A porpoise followed the {ship} from the mole to the light.",
      "{who} has found a shell that the museum cannot name.",
      "There are more seals than people on the spit at {place}.",
    ],
    follows: [
      "The thrift will be out in a week.",
      "Something has been at the lapwings' eggs, and the cat looks well.",
      "The pools are full of blennies and small boys.",
      "I counted {few} curlews before my hat blew off.",
      "The elder by the smithy is in leaf.",
      "Nobody has seen the otter, but somebody has eaten the koi.",
      "At dusk the whole shore smells of iodine.",
    ],
  },
  {
    titles: ["Shop talk", "On the counter this week", "Prices and grumbles"],
    opens: [
      "Potatoes are in from Whinfell, and they are small.",
      "{who} has taken over the chandlery at {place}, smell and all.",
      "The baker has a cold, so the bread is plain.",
      "There was a run on lamp oil at {place} and nobody knows why.",
    ],
    follows: [
      "Eggs are {few} a crown, if you bring the box.",
      "The good knives are back in stock.",
      "The cheese came over on the {ship} and had to be talked to.",
      "Credit is given to those who do not need it.",
      "Rope is sold by the fathom, whatever {who} says.",
      "The till was four pence over, which is being looked into.",
      "We close for dinner, and we mean it.",
    ],
  },
  {
    titles: ["Old times", "From the chest in the vestry", "A hundred years ago"],
    opens: [
      "The first steam launch in the isles belonged to a dentist.",
      "Before the mole was built, {place} was reached by basket.",
      "The name of the {ship} is older than the ship.",
      "{who}'s great-aunt kept the toll at {place} and kept a good deal of it.",
    ],
    follows: [
      "The accounts are in a neat hand and do not add up.",
      "A parson was rowed across with a piano on his knees.",
      "No picture of it is known but one, and that is of the back.",
      "The wreck gave every house at {place} a new door.",
      "It was pulled down for its lead.",
      "They say that the bell was never paid for.",
      "The last who remembered it died in the great frost.",
    ],
  },
  {
    titles: ["Games and matches", "Results", "The oval at {place}"],
    opens: [
      "{place} beat the brine works by {few} runs and a dropped catch.",
      "The quoits final went to the last throw.",
      "{who} took five wickets with a borrowed ball.",
      "The rowing club has found its missing oar.",
    ],
    follows: [
      "Tea was taken early because of hail.",
      "The umpire has apologised to the cow.",
      "The cup will be engraved when somebody finds it.",
      "A side is wanted for the return match, and need not be good.",
      "The crew of the {ship} lost by a length and blamed the paint.",
      "Rain stopped play, and then the beer did.",
      "{who} retired hurt, and then just retired.",
    ],
  },
];
