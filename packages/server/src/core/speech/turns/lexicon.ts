/** What the words of a language tell about whether more is to come. */
export interface Lexicon {
  /** Whole answers, after which callers do not continue. */
  answers: ReadonlySet<string>
  /** No sentence ends in one of these: articles, conjunctions, prepositions that are no particles, hesitations. */
  openers: ReadonlySet<string>
  /** A sentence that begins like this is not over before its second half. */
  subordinate: RegExp
  /** How many digits a word stands for. */
  digits: ReadonlyMap<string, number>
}

const phrases = (list: string): ReadonlySet<string> => new Set(list.split(/[,\n]\s*/).map((phrase) => phrase.trim()))
const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))
const digits = (ones: string, twos = ''): ReadonlyMap<string, number> =>
  new Map([...words(ones)].map((word) => [word, 1] as [string, number]).concat([...words(twos)].map((word) => [word, 2])))

const english: Lexicon = {
  answers: phrases(
    `yes, yeah, yep, yes please, yes thank you, yes i do, yes it is, no, nope, no thanks, no thank you, no i don't, sure, okay, ok, alright,
    all right, right, correct, exactly, that's right, that's correct, that is right, that is correct, of course, hello, goodbye, good bye,
    good by, bye, thank you, thanks`,
  ),
  openers: words(
    `a an the and or but if because that's to of in at by for from with about into my your our their his is are was were be been i i'm i'd i'll
    it's we they he she has have had does would should than as this these those very currently um uh er erm hmm`,
  ),
  subordinate: /^(?:to|if|when|while|because|in order|before|after|although)\b/,
  digits: digits(
    'zero oh one two three four five six seven eight nine',
    'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  ),
}

/** Verbs and particles may end a German sentence: they are not among the openers. */
const german: Lexicon = {
  answers: phrases(
    `ja, jawohl, ja bitte, ja gerne, ja gern, ja genau, ja danke, gerne, gern, genau, richtig, stimmt, das stimmt, das ist richtig, klar, na klar,
    natürlich, nein, nee, nein danke, doch, okay, ok, in ordnung, alles klar, hallo, tschüss, auf wiederhören, danke, vielen dank`,
  ),
  openers: words(
    `der die den dem des eine einen einem einer eines kein keine keinen keinem keiner und oder aber weil dass wenn denn sondern sowie obwohl ob als
    bis mit von vom zum zur im am beim für bei in gegen zwischen seit ohne durch pro mein meine meinen meinem meiner unser unsere unseren unserem
    unserer ihre ihren ihrem ihrer dieser diese diesen diesem jeder jede jeden ist sind war ich wir sehr etwa ungefähr also äh ähm öhm hm`,
  ),
  subordinate: /^(?:wenn|weil|falls|obwohl|bevor|nachdem|damit|sobald|solange|um)\b/,
  digits: digits(
    'null eins zwo zwei drei vier fünf sechs sieben acht neun',
    'zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
  ),
}

const french: Lexicon = {
  answers: phrases(
    `oui, ouais, oui merci, oui s'il vous plaît, non, non merci, d'accord, ok, okay, bien sûr, exactement, c'est ça, c'est exact, tout à fait,
    bonjour, au revoir, merci, merci beaucoup`,
  ),
  openers: words(
    `le la les un une des du de à au aux et ou mais car que qui dont si comme pour par avec sans dans sur chez entre mon ma mes ton ta tes son sa
    ses notre votre nos vos leur je j'ai c'est il elle on ce cet cette ces est sont très euh hum`,
  ),
  subordinate: /^(?:si|quand|pour|parce qu|avant|après|pendant|lorsqu)/,
  digits: digits('zéro un deux trois quatre cinq six sept huit neuf', 'dix onze douze treize quatorze quinze seize'),
}

const spanish: Lexicon = {
  answers: phrases(
    `sí, si, sí por favor, sí gracias, no, no gracias, claro, vale, de acuerdo, exacto, correcto, eso es, así es, hola, adiós, hasta luego, gracias,
    muchas gracias, ok, okay`,
  ),
  openers: words(
    `el la los las un una unos unas de del a al y e o u pero porque que si como para por con sin en entre sobre mi mis tu tus su sus nuestro nuestra
    yo es son muy eh em`,
  ),
  subordinate: /^(?:si|cuando|para|porque|antes|después|mientras|aunque)\b/,
  digits: digits('cero uno dos tres cuatro cinco seis siete ocho nueve', 'diez once doce trece catorce quince'),
}

const italian: Lexicon = {
  answers: phrases(
    `sì, si, sì grazie, sì per favore, no, no grazie, certo, va bene, d'accordo, esatto, giusto, ok, okay, pronto, ciao, arrivederci, buongiorno,
    buonasera, grazie, grazie mille`,
  ),
  openers: words(
    `il lo la i gli le un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal dalla in nel nella con su sul sulla per tra
    fra e ed o ma che se perché come mio mia miei mie tuo tua suo sua nostro nostra vostro vostra io è molto eh ehm uhm`,
  ),
  subordinate: /^(?:se|quando|per|perché|prima|dopo|mentre|anche se)\b/,
  digits: digits('zero uno due tre quattro cinque sei sette otto nove', 'dieci undici dodici tredici quattordici quindici'),
}

const lexicons: Readonly<Record<string, Lexicon>> = { en: english, de: german, fr: french, es: spanish, it: italian }

/** `language`: BCP 47. Of others only the marks are understood. */
export const lexiconOf = (language: string): Lexicon | undefined => lexicons[language.slice(0, 2).toLowerCase()]
