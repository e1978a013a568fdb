import type { Wording } from './wording.ts'

const signs: Readonly<Record<string, readonly [number, number]>> = {
  '½': [1, 2],
  '⅓': [1, 3],
  '⅔': [2, 3],
  '¼': [1, 4],
  '¾': [3, 4],
  '⅕': [1, 5],
  '⅛': [1, 8],
  '⅜': [3, 8],
  '⅝': [5, 8],
  '⅞': [7, 8],
}
const withSign = /(?<![\p{L}\d.,])(?:(\d{1,3}) ?)?([½⅓⅔¼¾⅕⅛⅜⅝⅞])/gu
const written = /(?<![\p{L}\d/.,])(?:(\d{1,3}) )?(\d)\/(\d0?)(?![\p{L}\d/]|[.,]\d)/gu

const say = (whole: string | undefined, [numerator, denominator]: readonly [number, number], wording: Wording): string =>
  whole === undefined ? wording.fraction(numerator, denominator) : wording.mixed(whole, numerator, denominator)

/** Parts of one, up to tenths; 24/7 and the like are none. */
export const sayFractionsIn = (text: string, wording: Wording): string =>
  text
    .replace(withSign, (_, whole: string | undefined, sign: string) => say(whole, signs[sign] ?? [1, 2], wording))
    .replace(written, (all, whole: string | undefined, above: string, below: string) => {
      const parts = [Number(above), Number(below)] as const
      return parts[0] > 0 && parts[0] < parts[1] ? say(whole, parts, wording) : all
    })
