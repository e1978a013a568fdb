import { mainLanguage } from './main-language.ts'
import type { Wording } from './wording.ts'

/** Words for the keys of a telephone, stars of a hotel, and powers. */
interface Signs {
  hash: string
  star: string
  /** After a number of stars, before a noun. */
  stars: string
  squared: string
  cubed: string
  toThe: string
  /** Between two numbers of a pair: blood pressure 120/80. */
  over: string
}

const signs: Readonly<Record<string, Signs>> = {
  en: {
    hash: 'pound',
    star: 'star',
    stars: '-star',
    squared: 'squared',
    cubed: 'cubed',
    toThe: 'to the power of',
    over: 'over',
  },
  de: {
    hash: 'Raute',
    star: 'Stern',
    stars: ' Sterne',
    squared: 'hoch zwei',
    cubed: 'hoch drei',
    toThe: 'hoch',
    over: 'zu',
  },
}

const key =
  /(?<=(?<!\p{L})(?:[Pp]ress|[Dd]ial|[Hh]it|[Kk]ey|[Tt]aste|[Dd]rücken Sie(?: die)?|[Ww]ählen Sie(?: die)?|or|and|then|oder|und|dann) )([#*])(?![\p{L}#*])/gu
const keyAndDigits = /(?<![\p{L}\p{N}*#])\*(?=\d{1,4}(?!\d|[\p{L}*]|\s?\*))/gu
const stars = /(?<![\p{L}\p{N}.,])([1-7])\*(?= ?\p{L})(?!\p{L}{1,40}\*)/gu
const power = /(?<=[\p{L}\d)])([²³])|(?<=[\p{L}\d)])\^(?=-?\d)/gu
const area = /(?<=\d ?(?:m|km|cm|mm|dm|in|ft|mi))[²³]/gu
const pair =
  /(?<![\p{L}\d/.,]|(?:\p{Lu}|\b(?:[Oo]n|[Bb]y|[Uu]ntil|[Bb]efore|[Aa]fter|[Ff]rom)) )(?!24\/7)(\d{2,3})\/(\d{2,3})(?![\p{L}\d/.,])/gu
const afterPoint = /(?<![\p{L}\p{N}.,])\.(?=\d{1,6}(?![\d.]))/gu

/** Runs before markup is removed: a star may be a key. */
export const sayKeysIn = (text: string, language: string): string => {
  const words = signs[mainLanguage(language)]
  if (!words) return text
  const hash = /^en-(?!US|CA)/i.test(language) ? 'hash' : words.hash
  return text
    .replace(key, (_, sign: string) => ` ${sign === '#' ? hash : words.star} `)
    .replace(keyAndDigits, `${words.star} `)
    .replace(stars, (_, digit: string) => `${digit}${words.stars}`)
}

/** Units with a power are left to their reader. */
export const sayPowersIn = (text: string, _: Wording, language: string): string => {
  const words = signs[mainLanguage(language)]
  if (!words) return text
  const units = new Set(Array.from(text.matchAll(area), ({ index }) => index))
  return text
    .replace(power, (sign: string, _raised: string | undefined, at: number) => {
      if (units.has(at)) return sign
      return ` ${sign === '²' ? words.squared : sign === '³' ? words.cubed : words.toThe} `
    })
    .replace(pair, `$1 ${words.over} $2`)
    .replace(afterPoint, mainLanguage(language) === 'en' ? 'point ' : '.')
}
