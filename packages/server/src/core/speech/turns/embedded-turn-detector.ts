import type { LastSound, Tail } from '#core/kernel/ports/speech.ts'
import type { EndOfTurn, Pause, TurnDetector } from '#core/kernel/ports/assistant.ts'

/** Logistic regression weights for the end of the turn. */
interface Weights {
  bias: number
  /** Log ratio of sentence-final to other punctuation. */
  ratio: number
  /** Same after one or two words: the embedded recogniser puts commas there regardless of what follows. */
  ratioShort: number
  word: number
  end: number
  /** Recognisers guess question marks: "Which folder should I?" */
  question: number
  opener: number
  /** One or two words. */
  short: number
  subordinate: number
  /** Per 10 dB, and per 4 semitones. */
  energy: number
  low: number
  median: number
}

/** Fitted on recordings of people with the output of the larger English recogniser (docs/decisions/conversation.md). */
const english: Weights = {
  bias: -2.68,
  ratio: 0.42,
  ratioShort: 0,
  word: -0.39,
  end: -0.73,
  question: -1.47,
  opener: -2.16,
  short: 2.78,
  subordinate: -1.66,
  energy: -1.28,
  low: 0.31,
  median: -0.88,
}

/** Same for hardly any voiced audio, where the final pitch is unknown. */
const englishUnvoiced: Weights = {
  bias: -0.23,
  ratio: 0.52,
  ratioShort: 0,
  word: -1.92,
  end: -1.47,
  question: -1.79,
  opener: -2.38,
  short: 2.31,
  subordinate: -1.3,
  energy: 0,
  low: 0,
  median: 0,
}

/** For other languages and recognisers: set by hand so that a text without evidence needs 500 ms of silence, the default. */
const marksOnly: Weights = {
  bias: 1.32,
  ratio: 0.4,
  ratioShort: 0.23,
  word: -0.35,
  end: 0,
  question: -0.35,
  opener: -2.5,
  short: 0.7,
  subordinate: -1.4,
  energy: 0,
  low: 0,
  median: 0,
}

/** Smoothing, so that an impossible mark does not decide alone. */
const min = 0.02

/** Uses the recogniser's likelihoods after the last word, the words, and the falling voice. Cheap and stateless. */
export const embeddedTurnDetector = {
  name: 'embedded',
  judge: ({ text, language, tail, lastSound }: Omit<Pause, 'sound'>): EndOfTurn => {
    const known = tail ?? tailOfMarks(text)
    const weights = weightsFor(language, tail, lastSound)
    const words = spokenWords(text)
    const short = words.length <= 2
    const parts = {
      marks: marks(known, short, weights),
      words: openEnd(text, words, language, weights),
      length: short ? weights.short : 0,
      sound: lastSound
        ? (weights.energy * lastSound.energyDb) / 10 +
          (weights.low * Math.min(12, lastSound.aboveLow)) / 4 +
          (weights.median * lastSound.againstMedian) / 4
        : 0,
    }
    const sum = weights.bias + parts.marks + parts.words + parts.length + parts.sound
    return { probability: 1 / (1 + Math.exp(-sum)), parts }
  },
} satisfies TurnDetector

const weightsFor = (language: string, tail: Tail | undefined, lastSound: LastSound | undefined): Weights => {
  if (!tail || language.slice(0, 2).toLowerCase() !== 'en') return marksOnly
  return lastSound ? english : englishUnvoiced
}

const marks = ({ stop, question, goesOn, word, end }: Tail, short: boolean, weights: Weights): number => {
  const ratio = Math.log((stop + question + min) / (goesOn + min))
  return (short ? weights.ratioShort : weights.ratio) * ratio + weights.word * word + weights.end * end + weights.question * question
}

/** Checks the words regardless of punctuation: recognisers close unfinished sentences. */
const openEnd = (text: string, words: readonly string[], language: string, weights: Weights): number => {
  const lexicon = lexiconOf(language)
  if (!lexicon) return 0
  const sentence = lastSentence(text).toLowerCase()
  const started = lexicon.subordinate.test(sentence) && !/,\s/.test(sentence) && words.length <= 9
  return (lexicon.openers.has(words.at(-1) ?? '') ? weights.opener : 0) + (started ? weights.subordinate : 0)
}

export const lastSentence = (text: string): string =>
  text
    .trim()
    .split(/[.?!]\s+/)
    .at(-1) ?? ''

/** For recognisers that return only text. */
const tailOfMarks = (text: string): Tail => {
  const tail = { stop: 0, question: 0, goesOn: 0, end: 0, word: 0 }
  const written = text.trim()
  if (/(?:[,:;–—-]|…|\.{2,})$/u.test(written)) return { ...tail, goesOn: 1 }
  if (written.endsWith('?')) return { ...tail, question: 1 }
  return /[.!]$/.test(written) ? { ...tail, stop: 1 } : tail
}

/** Words of a language that indicate whether more is to come. */
interface Lexicon {
  /** Complete answers, after which callers do not continue. */
  answers: ReadonlySet<string>
  /** Words that never end a sentence: articles, conjunctions, prepositions that are not particles, hesitations. */
  openers: ReadonlySet<string>
  /** Start of a subordinate clause: the sentence is incomplete before its second half. */
  subordinate: RegExp
  /** Number of digits per word. */
  digits: ReadonlyMap<string, number>
}

const phrases = (list: string): ReadonlySet<string> => new Set(list.split(/[,\n]\s*/).map((phrase) => phrase.trim()))
const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))
const digits = (ones: string, twos = ''): ReadonlyMap<string, number> =>
  new Map([...words(ones)].map((word) => [word, 1] as [string, number]).concat([...words(twos)].map((word) => [word, 2])))

const englishWords: Lexicon = {
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

/** Verbs and particles may end a German sentence, so openers exclude them. */
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

const lexicons: Readonly<Record<string, Lexicon>> = { en: englishWords, de: german, fr: french, es: spanish, it: italian }

/** `language`: BCP 47. Other languages use punctuation only. */
export const lexiconOf = (language: string): Lexicon | undefined => lexicons[language.slice(0, 2).toLowerCase()]

/** Lower case, without punctuation. Times and decimals stay whole, since they are not digits read out one by one. */
export const spokenWords = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/(?<=\d)[:.](?=\d)/g, 'point')
    .replaceAll(/[^\p{L}\p{N}' ]+/gu, ' ')
    .split(' ')
    .filter((word) => word !== '')

/** Digits of a number that is read out. */
interface SpokenDigits {
  /** In the whole text. */
  count: number
  /** The last word is a digit. */
  atEnd: boolean
  /**
   * Phone, customer and account numbers are spoken in groups: two single digits at the end, or three together, are probably part of one.
   */
  group: boolean
}

/** Additional digits of "double" and "triple": all repetitions but one. */
const times: ReadonlyMap<string, number> = new Map([
  ['double', 1],
  ['triple', 2],
])
const tens = /^(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)$/

export const spokenDigits = (text: string, language: string): SpokenDigits => {
  const lexicon = lexiconOf(language)
  const words = spokenWords(text)
  const each = words.map((word, index) => digitsIn(word, words[index + 1], lexicon))
  const last = words.at(-1) ?? ''
  const atEnd = (each.at(-1) ?? 0) > 0
  return {
    count: each.reduce((sum, digits) => sum + digits, 0),
    atEnd,
    group: atEnd && (/^\d{3,}$/.test(last) || (each.at(-2) ?? 0) > 0),
  }
}

const digitsIn = (word: string, next: string | undefined, lexicon: Lexicon | undefined): number => {
  if (/^\d+$/.test(word)) return word.length
  const more = times.get(word)
  if (more !== undefined) return more
  if (tens.test(word)) return next !== undefined && lexicon?.digits.get(next) === 1 ? 1 : 2
  return lexicon?.digits.get(word) ?? 0
}
