import { digitByDigit, type Wording } from './wording.ts'

/** Short words in capitals that are not spelled out. */
const words = new Set('NATO NASA PIN SIM IBAN TAN IKEA VISA LIDL EDEKA TÜV UNO UNESCO UNICEF AIDS COVID BAFÖG ASAP COD WLAN RAM'.split(' '))
const vowel = /[AEIOUYÄÖÜ]/
const longestInitialism = 4

const capitals = /(?<![\p{L}\p{N}])\p{Lu}{2,}(?=s?(?!\p{L}))/gu
const code = /(?<![\p{L}\p{N}])(?=[\p{Lu}\d]*\d)(?=[\p{Lu}\d]*\p{Lu})[\p{Lu}\d]{2,}(?![\p{L}\p{N}])/gu

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

/** A4, B2B, AB123: letters are spelled, short numbers counted. */
const sayCode = (written: string, wording: Wording): string =>
  (written.match(/\d+|\D+/g) ?? [])
    .map((run) =>
      /\D/.test(run) ? spell(run, wording) : run.length > 2 || run.startsWith('0') ? digitByDigit(run, wording) : wording.cardinal(run),
    )
    .join(' ')

/** Initialisms are spelled; what is only written in capitals is read. */
export const sayCapitalsIn = (text: string, wording: Wording): string => {
  const shouted = !/\p{Ll}/u.test(text) && /\p{Lu}{2,}\P{L}+\p{Lu}{2,}/u.test(text)
  return text
    .replace(code, (written) => sayCode(written, wording))
    .replace(capitals, (written) => {
      if (written === 'OK') return 'okay'
      if (shouted || words.has(written) || (written.length > longestInitialism && vowel.test(written))) return lowered(written)
      return spell(written, wording)
    })
}

const address =
  /(?<![\w.+@-])(?:https?:\/\/)?([\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,4}[a-z]{2,10}|(?:[\w-]{1,63}\.){1,4}(?:com|org|net|info|biz|app|dev|io|ai|eu|de|at|ch|uk|us|fr|it|es|example)(?:\/[\w/.-]{0,60}\w)?)(?![\w@])/g

/** Addresses of mail and web sites. */
export const sayAddressesIn = (text: string, wording: Wording): string =>
  text.replace(address, (_, written: string) =>
    written
      .replace(/^www\./, `${spell('www', wording)}.`)
      .replace(/[.@/_-]/g, (mark) => ` ${mark === '-' ? '' : wording.symbols[mark as '.' | '@' | '/' | '_']} `)
      .replace(/ +/g, ' '),
  )
