import { germanCurrencies } from './currencies.ts'
import { germanSymbols, germanUnits } from './symbols-and-units.ts'
import {
  canBeCounted,
  digitByDigit,
  threes,
  withoutLeadingZeros,
  type CalendarDate,
  type Money,
  type TimeOfDay,
  type Wording,
} from './wording.ts'

const small = 'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf'.split(' ')
const tens = ['', 'zehn', 'zwanzig', 'dreißig', 'vierzig', 'fünfzig', 'sechzig', 'siebzig', 'achtzig', 'neunzig']
const scales = [
  ['', ''],
  ['', ''],
  ['Million', 'Millionen'],
  ['Milliarde', 'Milliarden'],
  ['Billion', 'Billionen'],
] as const
const months = 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' ')

const scaleWords = {
  Million: ['Million', 'Millionen'],
  Millionen: ['Million', 'Millionen'],
  'Mio.': ['Million', 'Millionen'],
  Mio: ['Million', 'Millionen'],
  Milliarde: ['Milliarde', 'Milliarden'],
  Milliarden: ['Milliarde', 'Milliarden'],
  'Mrd.': ['Milliarde', 'Milliarden'],
  Mrd: ['Milliarde', 'Milliarden'],
  'Tsd.': ['Tausend', 'Tausend'],
} as const

const weekdays = { Mo: 'Montag', Di: 'Dienstag', Mi: 'Mittwoch', Do: 'Donnerstag', Fr: 'Freitag', Sa: 'Samstag', So: 'Sonntag' }

const kings = new Set(
  `Albert Albrecht Alexander August Benedikt Carl Christian Clemens Edward Felipe Ferdinand Franz Friedrich Georg Gregor Gustav Harald Heinrich
  Innozenz Iwan Jakob Johann Johannes Joseph Karl Konrad Leo Leopold Ludwig Maximilian Napoleon Nikolaus Otto Paul Peter Philipp Pius Ramses
  Richard Rudolf Urban Wilhelm`.split(/\s+/),
)
const queens = new Set('Beatrix Elisabeth Elizabeth Katharina Margarethe Margrethe Maria Mary'.split(' '))

/** Before other words: ein-und-zwanzig, ein-hundert, ein Euro. */
const attached = (n: number): string => (n === 1 ? 'ein' : (small[n] ?? ''))

const belowHundred = (n: number): string => {
  if (n <= 12) return small[n] ?? ''
  const ones = n % 10
  const ten = tens[Math.floor(n / 10)] ?? ''
  if (n < 20) return `${ones === 6 ? 'sech' : ones === 7 ? 'sieb' : small[ones]}zehn`
  return ones === 0 ? ten : `${attached(ones)}und${ten}`
}

const belowThousand = (n: number): string => {
  const hundreds = Math.floor(n / 100)
  if (hundreds === 0) return belowHundred(n)
  return `${attached(hundreds)}hundert${n % 100 === 0 ? '' : belowHundred(n % 100)}`
}

const belowMillion = (n: number): string => {
  const thousands = Math.floor(n / 1000)
  if (thousands === 0) return belowThousand(n)
  const head = thousands % 100 === 1 ? belowThousand(thousands).slice(0, -1) : belowThousand(thousands)
  return `${head}tausend${n % 1000 === 0 ? '' : belowThousand(n % 1000)}`
}

const cardinal = (whole: string): string => {
  const digits = withoutLeadingZeros(whole)
  if (!canBeCounted(digits)) return digitByDigit(digits, german)
  const groups = threes(digits)
  const words: string[] = []
  groups.slice(0, -2).forEach((group, i) => {
    const [one, many] = scales[groups.length - 1 - i] ?? ['', '']
    if (group > 0) words.push(group === 1 ? `eine ${one}` : `${belowThousand(group)} ${many}`)
  })
  const rest = Number(digits.slice(-6))
  if (rest > 0 || words.length === 0) words.push(belowMillion(rest))
  return words.join(' ')
}

/** Most nouns with these endings are feminine. */
const feminine =
  /(?<!byte|Kund|Nam|Kolleg|Jung|Käs|End|Aug|Gebäud|Interess|Buchstab|Gedank|Zeug|Neff|Erb|Brit|Franzos|Promill|Metr)(?:e|ung|heit|keit|ion|tät|schaft|ei|ik|Person|Nacht|Uhrzeit|Nummer|Woche|Stunde)$/

/** Prepositions with the dative: von einer Million. */
const dativeBefore = /(?:^|\s)(?:von|mit|bei|aus|nach|zu|seit|vor|in)\s*$/i

const count = (whole: string, counted: string, before: string): string => {
  // Without a noun it is probably a year; most quantities of that size would sound the same.
  if (counted === '') return /^1[89]\d{2}$/.test(whole) ? year(Number(whole)) : cardinal(whole)
  if (withoutLeadingZeros(whole) !== '1') return cardinal(whole)
  const ending = feminine.test(counted.split(' ', 1)[0] ?? '') ? ['e', 'er'] : ['', 'em']
  return `ein${ending[dativeBefore.test(before) ? 1 : 0]}`
}

const irregularStems: Record<string, string> = { eins: 'erst', drei: 'dritt', sieben: 'siebt', acht: 'acht' }

/** Words before an ordinal that ends in -en: am, zum, den … */
const weakBefore =
  /(?:^|\s)(?:am|vom|zum|beim|im|dem|den|des|zur|bis|ab|seit|jeden|diesen|diesem|einem|ihrem|ihren|ihrer|meinem|meinen|\p{L}+ten (?:und|oder|bis))\s*$/iu
const articleBefore =
  /(?:^|\s)(?:der|die|das|jede|diese|dieser|dieses|ihre|meine|unsere|eine|keine|seine|deine|\p{L}+te (?:und|oder|bis))\s*$/iu
/** The ending then tells the gender: ein zweiter Termin. */
const withoutEnding = /(?:^|\s)(?:ein|kein|mein|dein|sein|unser|euer|ihr)\s*$/i
const neuter =
  /(?:geschoss|Stockwerk|Jahrhundert|Jahrzehnt|Quartal|Halbjahr|Mal|Jubiläum|Jahr|Kind|Haus|Buch|Kapitel|chen|Treffen|Gespräch|Angebot|Bild|Zimmer|Problem|Spiel|Mitglied)$/
/** Before a day without its month: am 15. um 8 Uhr. */
const dayBefore = /(?:^|\s)(?:am|zum|vom)\s*$/i

/** Nouns with ordinals even without an article. */
const ranked =
  /^(?:Hinterhof|Advent|Weihnachtstag|Spieltag|Bundesliga|Weltkrieg|Obergeschoss|Untergeschoss|Stockwerk|Etage|Stock|Stockwerk|Obergeschoss|OG|Klasse|Platz|Reihe|Auflage|Quartal|Halbjahr|Jahrhundert|Mahnung)$/

/** Whether a number with a dot is an ordinal and not the end of a sentence: "im 3. Stock", "3. Mai". */
export const isGermanOrdinal = (before: string, nextWord: string): boolean =>
  months.includes(nextWord) ||
  ranked.test(nextWord) ||
  (/^\p{Lu}/u.test(nextWord) && [weakBefore, articleBefore, withoutEnding].some((words) => words.test(before))) ||
  (/^\p{Ll}/u.test(nextWord) && dayBefore.test(before))

const ordinalStem = (whole: string): string => {
  const words = cardinal(whole)
  const n = Number(withoutLeadingZeros(whole).slice(-2))
  if (words === 'null') return 'nullt'
  if (n === 0 || n > 19) return `${words}st`
  const last = belowHundred(n)
  return words.slice(0, words.length - last.length) + (irregularStems[last] ?? `${last}t`)
}

/** Whether an ordinal before this noun ends in -e without further context. */
export const isFeminine = (noun: string): boolean => feminine.test(noun)
export const isNeuter = (noun: string): boolean => neuter.test(noun)

const ordinal = (whole: string, before: string): string =>
  ordinalStem(whole) + (weakBefore.test(before) ? 'en' : before === '' || articleBefore.test(before) ? 'e' : 'er')

const year = (n: number): string => {
  if (n < 1100 || n > 1999) return cardinal(String(n))
  return `${belowHundred(Math.floor(n / 100))}hundert${n % 100 === 0 ? '' : belowHundred(n % 100)}`
}

const date = ({ day, month, year: ofYear }: CalendarDate, before: string): string =>
  [
    day === undefined ? '' : ordinal(String(day), before === '' ? 'Tag' : before),
    month === undefined ? '' : (months[month - 1] ?? ''),
    ofYear === undefined ? '' : year(ofYear),
  ]
    .filter((word) => word !== '')
    .join(' ')

const time = ({ hour, minute, second, half }: TimeOfDay): string => {
  const ofDay = half === 'pm' && hour < 12 ? hour + 12 : half === 'am' && hour === 12 ? 0 : hour
  const words = [ofDay === 1 ? 'ein' : belowHundred(ofDay), 'Uhr']
  if (minute > 0 || second) words.push(belowHundred(minute))
  if (second) words.push(`und ${second === 1 ? 'eine Sekunde' : `${belowHundred(second)} Sekunden`}`)
  return words.join(' ')
}

const money = ({ whole, cents, currency }: Money): string => {
  const [one, many, cent] = germanCurrencies[currency]
  const number = withoutLeadingZeros(whole)
  const small = Number(cents ?? 0)
  if (number === '0' && small > 0) return `${small === 1 ? 'ein' : belowHundred(small)} ${cent}`
  const words = number === '1' ? one : `${cardinal(number)} ${many}`
  return small > 0 ? `${words} ${belowHundred(small)}` : words
}

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

const fraction = (numerator: number, denominator: number): string => {
  if (denominator === 2) return numerator === 1 ? 'ein halb' : `${cardinal(String(numerator))} Halbe`
  return `${numerator === 1 ? 'ein' : cardinal(String(numerator))} ${capitalised(ordinalStem(String(denominator)))}el`
}

const mixed = (whole: string, numerator: number, denominator: number): string =>
  denominator === 2 ? `${whole === '1' ? 'ein' : cardinal(whole)}einhalb` : `${cardinal(whole)} ${fraction(numerator, denominator)}`

const regnal = (name: string, number: string): string | undefined => {
  const article = kings.has(name) ? 'der' : queens.has(name) ? 'die' : undefined
  return article && `${article} ${capitalised(ordinalStem(number))}e`
}

export const german: Wording = {
  digits: small.slice(0, 10),
  point: 'Komma',
  thousandsMark: '.',
  to: 'bis',
  against: 'zu',
  by: 'mal',
  per: 'pro',
  version: 'Version',
  versionPoint: 'Punkt',
  extension: 'Durchwahl',
  symbols: germanSymbols,
  units: germanUnits,
  scales: scaleWords,
  monthNames: months,
  ordinalDot: true,
  townNumbers: false,
  postcode: /(?<=, )\d{5}(?= \p{Lu}\p{Ll})/gu,
  foot: 'Fuß',
  severalLetters: 's',
  weekdays,
  cardinal,
  count,
  ordinal,
  year,
  date,
  time,
  money,
  currency: (currency) => germanCurrencies[currency][1],
  fraction,
  mixed,
  decade: (digits) => `${year(Number(digits))}er`,
  regnal,
  room: cardinal,
  attribute: /$^/,
  letter: (letter) => (letter === 'ß' ? 'Eszett' : letter.toUpperCase()),
}
