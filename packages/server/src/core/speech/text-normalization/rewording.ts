import { expandAbbreviations } from './abbreviations.ts'
import { mainLanguage } from './main-language.ts'
import { calendarDate } from './wording.ts'

/** Language whose voices read numbers: rewrites notation they would misread and keeps the digits. */
interface Rewording {
  readonly months: readonly string[]
  date(day: number, month: string, year: string | undefined): string
  /** Time with minutes, in digits. */
  time(hour: number, minute: string): string
  /** `cents`: two digits, or missing. */
  money(whole: string, cents: string | undefined, currency: string): string
  /** Singular and plural. */
  readonly currencies: Readonly<Record<string, readonly [one: string, many: string]>>
  readonly units: Readonly<Record<string, readonly [one: string, many: string]>>
  /** Word for a single item, where voices would read the bare number. */
  one(counted: string): string
  readonly percent: string
  /** Between the ends of a range. */
  readonly to: string
  readonly and: string
  /** Inside addresses. */
  readonly marks: Readonly<Record<'.' | '@' | '-' | '_' | '/' | '+', string>>
  /** Digits of a phone number spoken as one number: French uses pairs, others single digits. */
  readonly phoneDigits: 1 | 2
}

const spanish: Rewording = {
  months: 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' '),
  date: (day, month, year) => `${day === 1 ? 'primero' : day} de ${month}${year === undefined ? '' : ` de ${year}`}`,
  time: (hour, minute) => `${hour}${Number(minute) === 0 ? '' : ` y ${Number(minute)}`}`,
  money: (whole, cents, currency) => `${whole} ${currency}${cents === undefined ? '' : ` con ${Number(cents)}`}`,
  currencies: {
    '€': ['euro', 'euros'],
    EUR: ['euro', 'euros'],
    $: ['dólar', 'dólares'],
    USD: ['dólar', 'dólares'],
    '£': ['libra', 'libras'],
    GBP: ['libra', 'libras'],
    CHF: ['franco suizo', 'francos suizos'],
  },
  units: {
    '°C': ['grado', 'grados'],
    '°': ['grado', 'grados'],
    'km/h': ['kilómetro por hora', 'kilómetros por hora'],
    km: ['kilómetro', 'kilómetros'],
    m: ['metro', 'metros'],
    'm²': ['metro cuadrado', 'metros cuadrados'],
    cm: ['centímetro', 'centímetros'],
    kg: ['kilo', 'kilos'],
    g: ['gramo', 'gramos'],
    l: ['litro', 'litros'],
    min: ['minuto', 'minutos'],
    h: ['hora', 'horas'],
    GB: ['gigabyte', 'gigabytes'],
  },
  one: (counted) => (counted.endsWith('a') ? 'una' : 'un'),
  percent: 'por ciento',
  to: 'a',
  and: 'y',
  marks: { '.': 'punto', '@': 'arroba', '-': 'guion', _: 'guion bajo', '/': 'barra', '+': 'más' },
  phoneDigits: 1,
}

const italian: Rewording = {
  months: 'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre'.split(' '),
  date: (day, month, year) => `${day === 1 ? 'primo' : day} ${month}${year === undefined ? '' : ` ${year}`}`,
  time: (hour, minute) => `${hour}${Number(minute) === 0 ? '' : ` e ${Number(minute)}`}`,
  money: (whole, cents, currency) => `${whole} ${currency}${cents === undefined ? '' : ` e ${Number(cents)}`}`,
  currencies: {
    '€': ['euro', 'euro'],
    EUR: ['euro', 'euro'],
    $: ['dollaro', 'dollari'],
    USD: ['dollaro', 'dollari'],
    '£': ['sterlina', 'sterline'],
    GBP: ['sterlina', 'sterline'],
    CHF: ['franco svizzero', 'franchi svizzeri'],
  },
  units: {
    '°C': ['grado', 'gradi'],
    '°': ['grado', 'gradi'],
    'km/h': ['chilometro all’ora', 'chilometri all’ora'],
    km: ['chilometro', 'chilometri'],
    m: ['metro', 'metri'],
    'm²': ['metro quadrato', 'metri quadrati'],
    cm: ['centimetro', 'centimetri'],
    kg: ['chilo', 'chili'],
    g: ['grammo', 'grammi'],
    l: ['litro', 'litri'],
    min: ['minuto', 'minuti'],
    h: ['ora', 'ore'],
    GB: ['gigabyte', 'gigabyte'],
  },
  one: (counted) => (counted.endsWith('a') ? (/^[aeiou]/.test(counted) ? 'un’' : 'una') : /^(?:z|s[^aeiou])/.test(counted) ? 'uno' : 'un'),
  percent: 'per cento',
  to: 'a',
  and: 'e',
  marks: { '.': 'punto', '@': 'chiocciola', '-': 'trattino', _: 'trattino basso', '/': 'barra', '+': 'più' },
  phoneDigits: 1,
}

const french: Rewording = {
  months: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' '),
  date: (day, month, year) => `${day === 1 ? '1er' : day} ${month}${year === undefined ? '' : ` ${year}`}`,
  time: (hour, minute) => `${hour} heure${hour < 2 ? '' : 's'}${Number(minute) === 0 ? '' : ` ${Number(minute)}`}`,
  money: (whole, cents, currency) => `${whole} ${currency}${cents === undefined ? '' : ` ${Number(cents)}`}`,
  currencies: {
    '€': ['euro', 'euros'],
    EUR: ['euro', 'euros'],
    $: ['dollar', 'dollars'],
    USD: ['dollar', 'dollars'],
    '£': ['livre', 'livres'],
    GBP: ['livre', 'livres'],
    CHF: ['franc suisse', 'francs suisses'],
  },
  units: {
    '°C': ['degré', 'degrés'],
    '°': ['degré', 'degrés'],
    'km/h': ['kilomètre à l’heure', 'kilomètres à l’heure'],
    km: ['kilomètre', 'kilomètres'],
    m: ['mètre', 'mètres'],
    'm²': ['mètre carré', 'mètres carrés'],
    cm: ['centimètre', 'centimètres'],
    kg: ['kilo', 'kilos'],
    g: ['gramme', 'grammes'],
    l: ['litre', 'litres'],
    min: ['minute', 'minutes'],
    h: ['heure', 'heures'],
    GB: ['gigaoctet', 'gigaoctets'],
    Go: ['gigaoctet', 'gigaoctets'],
  },
  one: () => '1',
  percent: 'pour cent',
  to: 'à',
  and: 'et',
  marks: { '.': 'point', '@': 'arobase', '-': 'tiret', _: 'tiret bas', '/': 'barre', '+': 'plus' },
  phoneDigits: 2,
}

const rewordings: ReadonlyMap<string, Rewording> = new Map(Object.entries({ fr: french, es: spanish, it: italian }))

const address =
  /(?<![\w.+@-])(?:https?:\/\/)?([\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,4}[a-z]{2,10}|(?:[\w-]{1,63}\.){1,4}(?:com|org|net|info|eu|de|ch|fr|be|ca|it|es|mx|ar|example)(?:\/[\w/.-]{0,60}\w)?)(?![\w@])/g
const isoDate = /(?<![\p{L}\d-])(\d{4})-(\d{2})-(\d{2})(?![\p{L}\d-])/gu
const writtenDate = /(?<![\p{L}\d/.])(\d{1,2})([/.])(\d{1,2})\2(\d{4}|\d{2})(?![\p{L}\d/])/gu
const time = /(?<![\p{L}\d:.])([01]?\d|2[0-4])(?: ?h ?|:)([0-5]\d)(?![\p{L}\d:])/gu
const amount = String.raw`(\d{1,3}(?:[. \u00a0\u202f]\d{3})+|\d+)(?:[,.](\d{2})(?!\d))?`
const mark = String.raw`(€|\$|£|EUR|USD|GBP|CHF)`
const markLast = new RegExp(String.raw`(?<![\p{L}\d.,])${amount}\s?${mark}(?!\p{L})`, 'gu')
const markFirst = new RegExp(String.raw`(?<![\p{L}\d])${mark}\s?${amount}(?![\d])`, 'gu')
const phone = /(?<![\p{L}\d.,])(?:\+\d{1,3}[ .-]?|0)\d[\d .()-]{5,18}\d(?![\d,]\d|\d)/gu
const code = /(?<![\p{L}\p{N}-])(?=[\p{Lu}-]{0,12}\d|\d)(?=[\d-]{0,12}\p{Lu})[\p{Lu}\d]{1,12}(?:-[\p{Lu}\d]{1,12}){0,4}(?![\p{L}\p{N}-])/gu
const spacedCode = /(?<![\p{L}\p{N}-])(?!EUR|USD|GBP|CHF)(\p{Lu}{2,3}) (\d{3,5})(?![\p{L}\p{N}%€$£]|[.,:]\d)/gu
const range = /(?<![\p{L}\d.,:/-])(\d{1,4}) ?[–-] ?(?=\d{1,4}(?![\p{L}\d-]))/gu

/** Rewrites visual notation for voices that read numbers themselves; other languages stay unchanged. */
export const reworded = (text: string, language: string): string => {
  const words = rewordings.get(mainLanguage(language))
  return words ? readers.reduce((rest, reader) => reader(rest, words), expandAbbreviations(text, words, language)) : text
}

const spelled = (text: string): string => Array.from(text.replace(/[^\p{L}\p{N}]/gu, '')).join(' ')

const rewordAddresses = (text: string, { marks }: Rewording): string =>
  text.replace(address, (_, written: string) =>
    written
      .replace(/^www\./, 'W W W.')
      .replace(/(?<=\.)[a-z]{2}(?=$|\/)/, (country) => spelled(country.toUpperCase()))
      .replace(/[.@/_+-]/g, (sign) => ` ${marks[sign as keyof typeof marks]} `),
  )

const rewordDates = (text: string, words: Rewording): string => {
  const say = (written: string, day: string, month: string, year: string): string => {
    const date = calendarDate(day, month, year)
    return date ? words.date(Number(day), words.months[Number(month) - 1] ?? '', String(date.year)) : written
  }
  return text
    .replace(isoDate, (written, year: string, month: string, day: string) => say(written, day, month, year))
    .replace(writtenDate, (written, day: string, _: string, month: string, year: string) => say(written, day, month, year))
}

const rewordTimes = (text: string, words: Rewording): string =>
  text.replace(time, (_, hour: string, minute: string) => words.time(Number(hour), minute))

const rewordMoney = (text: string, words: Rewording): string => {
  const say = (whole: string, cents: string | undefined, sign: string): string => {
    const [one, many] = words.currencies[sign] ?? [sign, sign]
    const number = whole.replace(/\D/g, '')
    return words.money(number, cents === '00' ? undefined : cents, number === '1' ? one : many)
  }
  return text
    .replace(markLast, (_, whole: string, cents: string | undefined, sign: string) => say(whole, cents, sign))
    .replace(markFirst, (_, sign: string, whole: string, cents: string | undefined) => say(whole, cents, sign))
}

const rewordPhones = (text: string, { phoneDigits, marks }: Rewording): string =>
  text.replace(phone, (written) => {
    const plus = written.startsWith('+') ? `${marks['+']} ` : ''
    const groups = written.replace(/\(0\)/, ' ').match(/\d+/g) ?? []
    return plus + groups.map((group) => (phoneDigits === 2 ? inPairs(group) : spelled(group))).join(', ')
  })

/** French phone numbers are spoken in pairs: zéro un, vingt-trois. */
const inPairs = (digits: string): string => (digits.match(digits.length % 2 === 0 ? /\d\d/g : /^\d|\d\d/g) ?? []).join(', ')

const rewordCodes = (text: string): string => text.replace(spacedCode, spelled).replace(code, spelled)

const unitPatterns = new Map<Rewording, RegExp>()

const rewordUnits = (text: string, words: Rewording): string => {
  let pattern = unitPatterns.get(words)
  if (!pattern) {
    const names = Object.keys(words.units).toSorted((a, b) => b.length - a.length)
    pattern = new RegExp(String.raw`(?<![\p{L}\d])(\d{1,9}(?:[.,]\d{1,9})?)\s?(${names.join('|')})(?![\p{L}\p{N}²³])`, 'gu')
    unitPatterns.set(words, pattern)
  }
  return text
    .replace(pattern, (_, number: string, unit: string) => `${number} ${words.units[unit]?.[number === '1' ? 0 : 1] ?? unit}`)
    .replace(/(?<=\d)\s?%/g, ` ${words.percent}`)
}

const single = /(?<![\p{L}\d]|[\d.,:+-] ?)1 (\p{Ll}{3,30})(?!\p{L})/gu

/** A single item; the first of a month. */
const rewordOne = (text: string, words: Rewording): string =>
  text.replace(single, (_, counted: string) => {
    if (words.months.includes(counted)) return words.date(1, counted, undefined)
    return `${words.one(counted)} ${counted}`.replace('’ ', '’')
  })

const rewordRest = (text: string, words: Rewording): string =>
  text
    .replace(range, `$1 ${words.to} `)
    .replace(/ ?& ?/g, ` ${words.and} `)
    .replace(/[_<>|\\{}^~#©®™]/g, ' ')

/** Ordered by certainty. */
const readers: readonly ((text: string, words: Rewording) => string)[] = [
  rewordAddresses,
  rewordDates,
  rewordTimes,
  rewordMoney,
  rewordPhones,
  rewordUnits,
  rewordOne,
  rewordCodes,
  rewordRest,
]
