import { currencyCode } from './currencies.ts'
import { sayDigits } from './numbers-in-text.ts'
import { digitByDigit, type Wording, type SpokenSymbol } from './wording.ts'

const iban = /(?<![\p{L}\p{N}-])[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?(?![\p{L}\p{N}-])/gu
const groups =
  /(?<![\p{L}\p{N}.,:/-])(?!\d{4}-\d{2}-\d{2}(?!\d)|\d{1,2}-\d{1,2}-(?:19|20)\d{2}(?!\d))(?:\d{4}(?: \d{4}){2,4}(?: \d{1,3})?|\d{1,6}(?:-\d{1,6}){2,5}|\d{1,6}-(?:\d{5,9}|0\d{1,8}))(?![\p{L}\p{N}-])/gu
const version =
  /(?<![\p{L}\d.])([Vv]ersion )(\d{1,5}(?:\.\d{1,5}){1,4})(?!\d)|(?<![\p{L}\d.])[vV](\d{1,5}(?:\.\d{1,5}){0,4})(?![\p{L}\d])/gu
const internetAddress = /(?<![\p{L}\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]\d|\d)/gu

/** Serial no. 8842-1190, invoice 2026-117. */
const named =
  /(?<=(?<!\p{L})(?:\p{L}{0,20}-?[Nn]ummer|[Nn]umber|[Ii]nvoice|[Oo]rder|[Cc]ase|[Tt]icket|[Rr]eference|Rechnung|Bestellung|Vorgang|Artikel|Auftrag) )\d{2,8}-\d{2,8}(?![\p{L}\p{N}-])/gu
/** House numbers of American addresses: 1600 Main Street, 350 5th Ave. */
const house =
  /(?<![\p{L}\d.,:#-])(\d{3,4})(?= (?:(?:North|South|East|West) )?(?:\p{Lu}\p{Ll}{1,20}|\d{1,3}(?:st|nd|rd|th))(?: \p{Lu}\p{Ll}{1,20})? (?:Street|Avenue|Road|Drive|Lane|Boulevard|Way|Court|Place|Parkway|St\.|Ave\.|Rd\.|Blvd\.|Dr\.|Ln\.))/gu

/** Runs before dates and amounts, which would match these. */
export const sayVersionsIn = (text: string, wording: Wording): string =>
  text
    .replace(internetAddress, (written) =>
      written
        .split('.')
        .map((part) => digitByDigit(part, wording))
        .join(` ${wording.symbols['.']} `),
    )
    .replace(version, (_, name: string | undefined, numbers: string | undefined, short: string) => {
      const parts = (numbers ?? short).split('.').map((part) => wording.cardinal(part))
      return `${name ?? `${wording.version} `}${parts.join(` ${wording.versionPoint} `)}`
    })

/** Bank accounts, cards, and grouped digits. */
export const sayNumberGroupsIn = (text: string, wording: Wording): string =>
  text
    .replace(iban, (written) => (written.replaceAll(' ', '').match(/.{1,4}/g) ?? []).map((group) => spell(group, wording)).join(', '))
    .replace(groups, (written) => sayDigits(written, wording))
    .replace(named, (written) => sayDigits(written, wording))
    .replace(wording.ordinalDot ? /$^/ : house, (digits) => wording.room(digits))

const hyphenated = /(?<![\p{L}\p{N}-])(?=[\p{Lu}-]{0,40}\d|\d)[\p{Lu}\d]{1,12}(?:-[\p{Lu}\d]{1,12}){1,5}(?![\p{L}\p{N}-])/gu
const plate = /(?<![\p{L}\p{N}-])(\p{Lu}{1,3})-(\p{Lu}{1,2}) ?(\d{1,4})(?![\p{L}\p{N}-])/gu
/** Codes of flights, trains, roads, states with their postcodes. */
const spaced = new RegExp(
  String.raw`(?<![\p{L}\p{N}-])(?!${currencyCode})(\p{Lu}{2,3}) (\d{3,5})(?![\p{L}\p{N}%€$£]|[.,:]\d| ?(?:€|%|EUR))`,
  'gu',
)
const compact = /(?<![\p{L}\p{N}])(?=[\p{Lu}\d]{0,40}\d)(?=[\p{Lu}\d]{0,40}\p{Lu})[\p{Lu}\d]{2,}(?![\p{L}\p{N}])/gu
/** 12a: a house or a seat. */
const lettered = /(?<![\p{L}\p{N}.,:'-])(\d{1,4})([a-z])(?![\p{L}\p{N}])/gu
const announced =
  /(?<=(?<!\p{L})(?:ZIP|[Pp]ostcode|Postleitzahl|[Cc]ode|PIN|TAN|[Rr]eference|\p{L}{0,20}[Nn]ummer|[Nn]umber|P\.? ?O\.? [Bb]ox|Postfach)(?: is| ist| lautet)?:? )\d{4,}(?![\p{L}\d]|[.,:]\d)/gu
const booked =
  /(?<=(?<!\p{L})(?:[Oo]rder|[Bb]ooking|[Tt]icket|[Ii]nvoice|[Cc]ase|[Aa]ccount|Bestellung|Buchung|Auftrag|Ticket|Rechnung|Vorgang|Konto) )\d{5,}(?<!00)(?![\p{L}\d]|[.,:]\d)/gu
const numbered = /#(\d{4,})(?!\d)/g
const room = /(?<=(?<!\p{L})(?:[Rr]oom|[Ss]uite) )[1-9]\d{2,3}(?![\p{L}\d.,:])/gu

/** A4, B2B, AB123: letters are spelled, short numbers are cardinals. */
const sayCompact = (written: string, wording: Wording): string =>
  (written.match(/\d+|\D+/g) ?? [])
    .map((run) => {
      if (/\D/.test(run)) return spell(run, wording)
      return run.length > 2 || run.startsWith('0') ? digitByDigit(run, wording) : wording.cardinal(run)
    })
    .join(' ')

/** AB-123, INV-2026-0042: one by one, with a pause between numbers; but COVID-19 and F-16. */
const sayHyphenated = (written: string, wording: Wording): string => {
  if (!/\p{Lu}/u.test(written)) return written
  const name = /^(\p{Lu}|\p{Lu}{4,})-(\d{1,2})$/u.exec(written)
  if (name) return `${sayCapitals(name[1] ?? '', wording)} ${wording.cardinal(name[2] ?? '')}`
  return written
    .split('-')
    .map((part, i, parts) => (i > 0 && /^\d+$/.test(part) && /\d$/.test(parts[i - 1] ?? '') ? ', ' : ' ') + spell(part, wording))
    .join('')
    .trim()
}

/** Up to five digits without a pause. */
const sayNamed = (digits: string, wording: Wording): string =>
  digits.length > 5 ? sayDigits(digits, wording) : digitByDigit(digits, wording)

/** Letters mixed with digits, and numbers used as names. */
export const sayCodesIn = (text: string, wording: Wording): string => {
  const shouted = !/\p{Ll}/u.test(text) && /\p{Lu}{4}/u.test(text)
  const spacedSaid = shouted
    ? text
    : text.replace(spaced, (_, letters: string, digits: string) => `${sayCapitals(letters, wording)} ${digitByDigit(digits, wording)}`)
  return spacedSaid
    .replace(plate, (_, town: string, letters: string, digits: string) => spell(`${town}${letters}${digits}`, wording))
    .replace(hyphenated, (written) => sayHyphenated(written, wording))
    .replace(compact, (written) => sayCompact(written, wording))
    .replace(lettered, (_, digits: string, letter: string) => `${wording.cardinal(digits)} ${wording.letter(letter)}`)
    .replace(announced, (digits) => sayNamed(digits, wording))
    .replace(booked, (digits) => sayNamed(digits, wording))
    .replace(numbered, (_, digits: string) => `${wording.symbols['#']} ${digitByDigit(digits, wording)}`)
    .replace(wording.postcode ?? /$^/, (digits) => digitByDigit(digits, wording))
    .replace(room, (digits) => wording.room(digits))
}

/** USB-C */
const joinedLetter = /(?<=(?<![\p{L}\p{N}])\p{Lu}{2,4})-(?=\p{Lu}(?![\p{L}\p{N}]))/gu

/** Short words in capitals that are not spelled out. */
const words = new Set(
  'NATO NASA PIN SIM IBAN TAN IKEA VISA LIDL EDEKA TÜV UNO UNESCO UNICEF AIDS COVID BAFÖG ASAP COD WLAN RAM ZIP DIN LAN'.split(' '),
)
const vowel = /[AEIOUYÄÖÜ]/
const maxInitialismLength = 4

const capitals = /(?<![\p{L}\p{N}])(\p{Lu}{2,})(s?)(?!\p{L})/gu
/** Three or more words in capitals are a shouted sentence. */
const shouts = /(?<![\p{L}\p{N}])\p{Lu}{2,20}(?:[ ,!]{1,2}\p{Lu}{2,20}){2,20}(?![\p{L}\p{N}])/gu
/** U.S., J.R.R. */
const dotted = /(?<![\p{L}\p{N}.])(?:\p{Lu}\.){2,6}(?!\p{L})/gu
/** J. Smith, J. S. Bach; but a label ends a sentence: plan B. */
const initial =
  /(?<![\p{L}\p{N}.]|(?:[Pp]lan|[Vv]itamin|[Oo]ption|[Gg]ate|[Tt]ype|[Gg]roup|Gruppe|Klasse|Typ) )(\p{Lu})\.(?= (?:\p{Lu}\.|\p{Lu}\p{Ll}))/gu

/** Letter by letter, digit by digit. */
export const spell = (text: string, wording: Wording): string =>
  Array.from(text, (character) => {
    if (/\d/.test(character)) return wording.digits[Number(character)] ?? character
    if (/\p{L}/u.test(character)) return wording.letter(character)
    return (wording.symbols as Readonly<Record<string, string>>)[character] ?? ''
  })
    .filter((name) => name !== '')
    .join(' ')

const lowered = (word: string): string => word.charAt(0) + word.slice(1).toLowerCase()

/** Spells initialisms; reads other words in capitals. */
const sayCapitals = (written: string, wording: Wording): string => {
  if (written === 'OK') return 'okay'
  return words.has(written) || (written.length > maxInitialismLength && vowel.test(written)) ? lowered(written) : spell(written, wording)
}

export const sayCapitalsIn = (text: string, wording: Wording): string => {
  const shouted = !/\p{Ll}/u.test(text) && /\p{Lu}{2}\P{L}{1,40}\p{Lu}{2}/u.test(text)
  return text
    .replace(joinedLetter, ' ')
    .replace(dotted, (written, at: number) => {
      const ends = /^\s*$/.test(text.slice(at + written.length, at + written.length + 40)) ? '.' : ''
      return spell(written.replaceAll('.', ''), wording) + ends
    })
    .replace(initial, (_, letter: string) => wording.letter(letter))
    .replace(shouts, (words) => words.replace(/\p{Lu}+/gu, lowered))
    .replace(capitals, (_, written: string, s: string) => {
      return (shouted && written !== 'OK' ? lowered(written) : sayCapitals(written, wording)) + (s === '' ? '' : wording.severalLetters)
    })
}

const extension = String.raw`(?:,? ?(?:ext\.?|extension|x|DW|Durchwahl|-?App\.) ?(\d{1,5})(?!\d))?`
/** Unambiguous numbers: with a plus, or in North American groups. */
const certain = new RegExp(
  String.raw`(?<![\p{L}\d.,])(\+\d[\d ()/.-]{4,20}\d|(?:1-)?(?:\(\d{3}\) ?|\d{3}-)\d{3}-\d{4}|\d{3}\.\d{3}\.\d{4})(?![\d,]\d|\d)${extension}`,
  'gu',
)
/** North American local numbers; a range would rather have round ends. */
const withinTown = new RegExp(String.raw`(?<![\p{L}\d.,-])([2-9]\d{2}-(?!\d?000)\d{4})(?![\d,-])${extension}`, 'gu')
/** With a leading zero; dates may have one too and are converted before. */
const local = new RegExp(
  String.raw`(?<![\p{L}\d.,:/-])(?!\d{1,2}\/\d{1,2}\/\d{2}|\d{2}-\d{2}-(?:19|20)\d{2}(?!\d))(\(?0\d{1,5}\)?[ /-]?\d[\d /-]{3,15}\d)(?![.,:]?\d)${extension}`,
  'gu',
)
const asWord = /(?<![\p{L}\d-])(1-)?(8\d\d)-([A-Z]{4,8})(?![\p{L}\d])/gu

/** Words after which even short numbers are spoken digit by digit. */
const dialled =
  /(?<=(?<!\p{L})(?:[Cc]all|[Dd]ial|[Tt]ext(?: \p{Lu}{2,10} to)?|Notruf|(?:[Ww]ählen|[Rr]ufen) Sie(?: die)?|[Ee]xtension|ext\.|Durchwahl) )\d{1,6}(?![\p{L}\d.,:/ -]\d|\p{L}|\d)|(?<![\p{L}\d.,])1\d{2}(?= (?:wählen|anrufen)(?!\p{L}))|(?<=(?:or|oder|und|and) )(?:110|112|911)(?![\p{L}\d.,:-])/gu

const say = (number: string, inside: string | undefined, wording: Wording): string => {
  // The zero in brackets is omitted with a country code.
  const digits = sayDigits(number.replace(/(?<=^\+[\d ]{1,5})\(0\)/, ' '), wording)
  return inside === undefined ? digits : `${digits}, ${wording.extension} ${digitByDigit(inside, wording)}`
}

export const sayCertainPhonesIn = (text: string, wording: Wording): string =>
  text
    .replace(asWord, (_, one: string | undefined, area: string, word: string) => {
      const digits = sayDigits(`${one ?? ''}${area}`, wording)
      return `${digits}, ${word.charAt(0)}${word.slice(1).toLowerCase()}`
    })
    .replace(certain, (_, number: string, inside: string | undefined) => say(number, inside, wording))
    .replace(dialled, (digits) => digitByDigit(digits, wording))

export const sayLocalPhonesIn = (text: string, wording: Wording): string => {
  const inTown = wording.townNumbers ? text.replace(withinTown, (_, n: string, x: string | undefined) => say(n, x, wording)) : text
  return inTown.replace(local, (_, number: string, inside: string | undefined) => say(number, inside, wording))
}

const address =
  /(?<![\w.+@-])(?:https?:\/\/)?([\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,4}[a-z]{2,10}|(?:[\w-]{1,63}\.){1,4}(?:com|org|net|info|biz|app|dev|io|ai|eu|de|at|ch|uk|us|fr|it|es|example)(?:\/[\w/.-]{0,60}\w)?)\/?(?:[?#][\w=&%.+-]{0,200}[\w=])?(?![\w@])/g

/** Country codes are spelled, except for those spoken as a word before another: co.uk. */
const country = /(?<=\.)([a-z]{2})(?=$|\/)/

/** Speaks e-mail and web addresses as if dictated. */
export const sayAddressesIn = (text: string, wording: Wording): string =>
  text.replace(address, (_, written: string) =>
    written
      .replace(/^www\./, `${spell('www', wording)}.`)
      .replace(country, (letters) => spell(letters, wording))
      .replace(/\d+/g, (digits) => ` ${digitByDigit(digits, wording)} `)
      .replace(/[.@/_+-]/g, (mark) => ` ${wording.symbols[mark === '-' ? '‐' : (mark as '.' | '@' | '/' | '_' | '+')]} `)
      .replace(/ +/g, ' ')
      .trim(),
  )

const symbol = /[&@=§°+±×÷≈]|#(?=\s?\p{L})|(?<=\d ?)[<>](?= ?\d)/gu
const silent = /[_<>|\\{}^~#©®™]|(?<=\p{L})\/(?=\p{L})|(?<=\p{L}) ?\/ ?(?=\p{L})/gu

/** Symbols that remain after all numbers are words. */
export const saySymbolsIn = (text: string, wording: Wording): string =>
  text.replace(symbol, (mark) => ` ${wording.symbols[mark as SpokenSymbol]} `).replace(silent, ' ')

const minus = /(?<=\d) ?[-−–] ?(?=\d{1,9}(?:[.,]\d{1,9})? ?=)/g
const times = /(?<=\d) ?[*×] ?(?=\d)|(?<=\d) x (?=\d)/g
/** Platform 3/4 is no fraction. */
const place =
  /(?<=(?<!\p{L})(?:[Pp]latforms?|[Tt]racks?|[Gg]ates?|[Uu]nit|[Ff]lat|[Aa]partment|[Rr]ooms?|[Ss]uite|[Ll]ines?|[Nn]umber|[Nn]o\.|Gleise?|Bahnsteige?|Zimmer|Räume|Raum|Wohnung|Tore?|Linien?|Halle|(?:Haus)?[Nn]ummer|Nr\.|\p{L}{0,20}(?:[Ss]traße|[Ss]tr\.|weg)) )(\d{1,4})\/(\d{1,4})(?![\p{L}\d/])/gu
/** 4x4, 3 x 4 m. */
const area = /(?<=\d)x(?=\d)|(?<=\d) [x×] (?=\d{1,5}(?:[.,]\d{1,3})? ?(?:mm|cm|m|km|ft|in|″)(?![\p{L}\d]))/gu
const repetitions = /(?<![\p{L}\d.,])(\d{1,3})x(?![\p{L}\d])/gu
const compared = /(?<=\d) ?([<>]) ?(?=\d)/g
const about = /(?<![\p{L}\p{N}])[~≈] ?(?=\d)/gu

/** Calculations; runs before a minus is read as a range. */
export const sayCalculationsIn = (text: string, { symbols, by }: Wording): string =>
  text
    .replace(place, (_, one: string, other: string) => `${one} ${symbols['/']} ${other}`)
    .replace(area, ` ${by} `)
    .replace(minus, ` ${symbols['-']} `)
    .replace(times, ` ${symbols['×']} `)
    .replace(repetitions, `$1 ${symbols['×']}`)
    .replace(compared, (_, mark: '<' | '>') => ` ${symbols[mark]} `)
    .replace(about, `${symbols['≈']} `)
    .replace(/(?<=\bC)#/g, ' sharp')
