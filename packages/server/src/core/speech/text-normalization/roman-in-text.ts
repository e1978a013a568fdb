import { isLast } from './places.ts'
import type { Wording } from './wording.ts'

const values: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50 }
/** Only these announce a number of one letter. */
const counted = /^(?:Chapter|Part|Act|Volume|Class|Kapitel|Teil|Band|Akt|Klasse)$/
/** Rather sizes and drips than numbers. */
const neither = /^(?:XL|XX|LL)$/
const article = /^(?:The|An|A|Der|Die|Das|Ein|Eine|Per)$/

const withName = /(?<![\p{L}\p{N}])(\p{Lu}\p{Ll}{1,20}) ([IVXL]{1,8})(\.?)(?![\p{L}\p{N}])/gu

const roman = (n: number): string =>
  (
    [
      ['L', 50],
      ['XL', 40],
      ['X', 10],
      ['IX', 9],
      ['V', 5],
      ['IV', 4],
      ['I', 1],
    ] as const
  ).reduce(({ left, text }, [letters, value]) => ({ left: left % value, text: text + letters.repeat(Math.floor(left / value)) }), {
    left: n,
    text: '',
  }).text

/** Undefined: nobody writes a number so. */
const numberOf = (letters: string): number | undefined => {
  const n = Array.from(letters, (letter) => values[letter] ?? 0).reduce(
    (sum, value, i, all) => sum + (value < (all[i + 1] ?? 0) ? -value : value),
    0,
  )
  return roman(n) === letters ? n : undefined
}

/** Kings and popes are the third, chapters and wars are three. */
export const sayRomanNumeralsIn = (text: string, wording: Wording): string => {
  const last = isLast(text)
  return text.replace(withName, (all, name: string, letters: string, dot: string, at: number) => {
    const n = numberOf(letters)
    if (n === undefined || neither.test(letters) || article.test(name)) return all
    // Where ordinals have a dot, it belongs to the number; it may end the sentence as well.
    const end = dot === '' || (wording.ordinalDot && !last(at + all.length)) ? '' : '.'
    const king = letters === 'I' && dot === '' ? undefined : wording.regnal(name, String(n))
    if (king !== undefined) return `${name} ${king}${end}`
    return letters.length > 1 || counted.test(name) ? `${name} ${wording.cardinal(String(n))}${dot}` : all
  })
}
