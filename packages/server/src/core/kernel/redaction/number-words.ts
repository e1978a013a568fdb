/** What people say for numbers below a hundred, in English and German, and recognisers write: as digits. */
const units: Readonly<Record<string, string>> = {
  zero: '0',
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
  null: '0',
  eins: '1',
  zwei: '2',
  zwo: '2',
  drei: '3',
  vier: '4',
  fünf: '5',
  fuenf: '5',
  sechs: '6',
  sieben: '7',
  acht: '8',
  neun: '9',
}

const teens = [
  ['ten', 'eleven', 'twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
  ['zehn', 'elf', 'zwölf', 'dreizehn', 'vierzehn', 'fünfzehn', 'sechzehn', 'siebzehn', 'achtzehn', 'neunzehn'],
]
const englishTens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const germanTens = ['zwanzig', 'dreißig', 'vierzig', 'fünfzig', 'sechzig', 'siebzig', 'achtzig', 'neunzig']
/** As in einundzwanzig. */
const germanUnits = ['ein', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun']

const spelled = (word: string): string => word.replaceAll('ß', 'ss')

const numbers = new Map<string, string>(Object.entries(units))
for (const words of teens) for (const [index, word] of words.entries()) numbers.set(word, String(10 + index))
for (const [index, word] of englishTens.entries()) numbers.set(word, String(20 + 10 * index))
for (const [index, tens] of germanTens.entries()) {
  numbers.set(spelled(tens), String(20 + 10 * index))
  for (const [unit, word] of germanUnits.entries()) numbers.set(spelled(`${word}und${tens}`), String(20 + 10 * index + unit + 1))
}

const tens = new Set(englishTens)
const repeats: Readonly<Record<string, number>> = { double: 2, doppel: 2, doppelt: 2, triple: 3, dreifach: 3 }

/** Digits of a word that means a number. */
export const digitsOf = (word: string): string | undefined => numbers.get(spelled(word.toLowerCase()))

/** Twenty, thirty …, which a unit may follow as a word of its own. */
export const isTens = (word: string): boolean => tens.has(word.toLowerCase())

/** Double, triple: how often the next digit is meant. */
export const repeatsOf = (word: string): number | undefined =>
  Object.hasOwn(repeats, word.toLowerCase()) ? repeats[word.toLowerCase()] : undefined

/** Said for zero between other digits. */
export const isLetterO = (word: string): boolean => /^oh?$/i.test(word)
