import type { Wording } from './wording.ts'

/** Short words in capitals that are not spelled out. */
const words = new Set(
  'NATO NASA PIN SIM IBAN TAN IKEA VISA LIDL EDEKA TÜV UNO UNESCO UNICEF AIDS COVID BAFÖG ASAP COD WLAN RAM ZIP DIN LAN'.split(' '),
)
const vowel = /[AEIOUYÄÖÜ]/
const maxInitialismLength = 4

const capitals = /(?<![\p{L}\p{N}])(\p{Lu}{2,})(s?)(?!\p{L})/gu
/** Three or more in a row are a sentence that somebody shouts. */
const shouts = /(?<![\p{L}\p{N}])\p{Lu}{2,20}(?:[ ,!]{1,2}\p{Lu}{2,20}){2,20}(?![\p{L}\p{N}])/gu
/** U.S., J.R.R. */
const dotted = /(?<![\p{L}\p{N}.])(?:\p{Lu}\.){2,6}(?!\p{L})/gu
/** J. Smith, J. S. Bach; but what is only called so ends a sentence: plan B. */
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

/** Initialisms are spelled; what is only written in capitals is read. */
export const sayCapitals = (written: string, wording: Wording): string => {
  if (written === 'OK') return 'okay'
  return words.has(written) || (written.length > maxInitialismLength && vowel.test(written)) ? lowered(written) : spell(written, wording)
}

export const sayCapitalsIn = (text: string, wording: Wording): string => {
  const shouted = !/\p{Ll}/u.test(text) && /\p{Lu}{2}\P{L}{1,40}\p{Lu}{2}/u.test(text)
  return text
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
