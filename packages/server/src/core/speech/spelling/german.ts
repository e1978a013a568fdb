import type { NumberWords, SpellingTable } from './numbers.ts'

const units = 'null eins zwei drei vier fünf sechs sieben acht neun'.split(' ')
const teens = 'zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn'.split(' ')
const tens = 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'.split(' ')

const inside = ['', 'ein', ...units.slice(2)]
const belowHundred = new Map<string, number>([
  ...[...units, ...teens].map((word, value) => [word, value] as const),
  ...tens.flatMap((ten, index) => inside.map((unit, value) => [unit === '' ? ten : `${unit}und${ten}`, 20 + 10 * index + value] as const)),
])

const belowThousand = (word: string): number | undefined => {
  const found = /^(ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun|)hundert(?:und)?(.*)$/u.exec(word)
  if (!found) return belowHundred.get(word)
  const [, hundreds = '', rest = ''] = found
  const more = rest === '' ? 0 : belowHundred.get(rest)
  return more === undefined ? undefined : Math.max(1, inside.indexOf(hundreds)) * 100 + more
}

/** A German number is one word. */
const valueOf = (word: string): number | undefined => {
  const found = /^(.*)tausend(?:und)?(.*)$/u.exec(word)
  if (!found) return belowThousand(word)
  const [, thousands = '', rest = ''] = found
  const many = thousands === '' || thousands === 'ein' ? 1 : belowThousand(thousands)
  const more = rest === '' ? 0 : belowThousand(rest)
  return many === undefined || more === undefined ? undefined : many * 1000 + more
}

const months = 'januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember'
const numbers: NumberWords = {
  read: ([word = '']) => {
    const value = valueOf(word.replaceAll('ss', 'ß')) ?? valueOf(word)
    return value === undefined ? undefined : { value, length: 1 }
  },
  // "1" may be "ein", "eine", "einen".
  digit: (value, next) => (value === 1 && next !== '' ? undefined : units[value]),
  besideDigits: { zwo: 2, o: 0 },
  keepsDigits: new RegExp(`^(?:uhr|prozent|euro|cent|franken|k?g|[kcm]?m|${months})$`, 'iu'),
  ordinals: true,
  thousandsMark: '.',
}

const hour = String.raw`(?<!\p{L})(\d{1,2}|ein|${[...units, ...teens, ...tens.slice(0, 1), 'einundzwanzig', 'zweiundzwanzig', 'dreiundzwanzig'].join('|')})`

const digits = (said: string): string => {
  const word = said.toLowerCase()
  return /^\d/.test(word) ? word : String(word === 'ein' ? 1 : (valueOf(word) ?? said))
}

export const german: SpellingTable = {
  variants: [
    [/(?<!\p{L})(?:o\.k\.|o\.k(?!\p{L})|ok)(?!\p{L})/giu, 'okay'],
    [/(?<!\p{L})tsch(?:ü|ue)(?:ß|s+)(?!\p{L})/giu, 'tschüss'],
    [/(?<!\p{L})auf[- ]?wieder[- ]?(sehen|hören|schauen)(?!\p{L})/giu, 'auf Wieder$1'],
    [/(?<!\p{L})e-?mail(s?)(?!\p{L})/giu, 'E-Mail$1'],
    [/(?<!\p{L}|\d)(\d{1,2})[.:](\d{2}) ?uhr(?!\p{L})/giu, '$1:$2 Uhr'],
    [
      new RegExp(String.raw`${hour} uhr (\d{2}|[\p{L}]+(?:zig|ßig|zehn|elf|zwölf))(?!\p{L})(?! uhr)`, 'giu'),
      (hours = '', mins = '') => `${digits(hours)}:${digits(mins).padStart(2, '0')} Uhr`,
    ],
    [new RegExp(String.raw`${hour} uhr(?!\p{L})`, 'giu'), (hours = '') => `${digits(hours)} Uhr`],
    [/(\d)uhr(?!\p{L})/giu, '$1 Uhr'],
  ],
  numbers,
}
