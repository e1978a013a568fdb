import { sayDigits } from './amounts.ts'
import { sayCapitals, spell } from './capitals-in-text.ts'
import { digitByDigit, type Wording } from './wording.ts'

const iban = /(?<![\p{L}\p{N}-])[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?(?![\p{L}\p{N}-])/gu
const groups =
  /(?<![\p{L}\p{N}.,:/-])(?!\d{4}-\d{2}-\d{2}(?!\d))(?:\d{4}(?: \d{4}){2,4}(?: \d{1,3})?|\d{1,6}(?:-\d{1,6}){2,5}|\d{1,6}-(?:\d{5,9}|0\d{1,8}))(?![\p{L}\p{N}-])/gu
const version =
  /(?<![\p{L}\d.])([Vv]ersion )(\d{1,5}(?:\.\d{1,5}){1,4})(?!\d)|(?<![\p{L}\d.])[vV](\d{1,5}(?:\.\d{1,5}){0,4})(?![\p{L}\d])/gu
const internetAddress = /(?<![\p{L}\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.]\d|\d)/gu

/** What would be taken for a date or an amount: before those. */
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

/** Bank accounts, cards, and digits in groups of their own. */
export const sayNumberGroupsIn = (text: string, wording: Wording): string =>
  text
    .replace(iban, (written) => (written.replaceAll(' ', '').match(/.{1,4}/g) ?? []).map((group) => spell(group, wording)).join(', '))
    .replace(groups, (written) => sayDigits(written, wording))

const hyphenated = /(?<![\p{L}\p{N}-])(?=[\p{Lu}-]{0,40}\d|\d)[\p{Lu}\d]{1,12}(?:-[\p{Lu}\d]{1,12}){1,5}(?![\p{L}\p{N}-])/gu
const plate = /(?<![\p{L}\p{N}-])(\p{Lu}{1,3})-(\p{Lu}{1,2}) ?(\d{1,4})(?![\p{L}\p{N}-])/gu
/** Of flights, trains, roads, states with their postcodes. */
const spaced = /(?<![\p{L}\p{N}-])(?!EUR|USD|GBP|CHF)(\p{Lu}{2,3}) (\d{3,5})(?![\p{L}\p{N}%€$£]|[.,:]\d| ?(?:€|%|EUR))/gu
const compact = /(?<![\p{L}\p{N}])(?=[\p{Lu}\d]{0,40}\d)(?=[\p{Lu}\d]{0,40}\p{Lu})[\p{Lu}\d]{2,}(?![\p{L}\p{N}])/gu
const announced =
  /(?<=(?<!\p{L})(?:ZIP|[Pp]ostcode|Postleitzahl|[Cc]ode|PIN|TAN|[Rr]eference|\p{L}{0,20}[Nn]ummer|[Nn]umber)(?: is| ist| lautet)?:? )\d{4,}(?![\p{L}\d]|[.,:]\d)/gu
const booked =
  /(?<=(?<!\p{L})(?:[Oo]rder|[Bb]ooking|[Tt]icket|[Ii]nvoice|[Cc]ase|[Aa]ccount|Bestellung|Buchung|Auftrag|Ticket|Rechnung|Vorgang|Konto) )\d{5,}(?<!00)(?![\p{L}\d]|[.,:]\d)/gu
const numbered = /#(\d{4,})(?!\d)/g
const room = /(?<=(?<!\p{L})(?:[Rr]oom|[Ss]uite) )[1-9]\d{2,3}(?![\p{L}\d.,:])/gu

/** A4, B2B, AB123: letters are spelled, short numbers counted. */
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

/** Up to five digits in one breath. */
const sayNamed = (digits: string, wording: Wording): string =>
  digits.length > 5 ? sayDigits(digits, wording) : digitByDigit(digits, wording)

/** Letters and digits together, and numbers that are names. */
export const sayCodesIn = (text: string, wording: Wording): string => {
  const shouted = !/\p{Ll}/u.test(text) && /\p{Lu}{4}/u.test(text)
  const spacedSaid = shouted
    ? text
    : text.replace(spaced, (_, letters: string, digits: string) => `${sayCapitals(letters, wording)} ${digitByDigit(digits, wording)}`)
  return spacedSaid
    .replace(plate, (_, town: string, letters: string, digits: string) => spell(`${town}${letters}${digits}`, wording))
    .replace(hyphenated, (written) => sayHyphenated(written, wording))
    .replace(compact, (written) => sayCompact(written, wording))
    .replace(announced, (digits) => sayNamed(digits, wording))
    .replace(booked, (digits) => sayNamed(digits, wording))
    .replace(numbered, (_, digits: string) => `${wording.symbols['#']} ${digitByDigit(digits, wording)}`)
    .replace(wording.postcode ?? /$^/, (digits) => digitByDigit(digits, wording))
    .replace(room, (digits) => wording.room(digits))
}
