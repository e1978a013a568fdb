import type { SpokenSymbol, Wording } from './wording.ts'

const symbol = /[&@=§°+±×÷≈]|#(?=\s?\p{L})|(?<=\d ?)[<>](?= ?\d)/gu
const silent = /[_<>|\\{}^~#©®™]|(?<=\p{L})\/(?=\p{L})|(?<=\p{L}) ?\/ ?(?=\p{L})/gu

/** Marks that are left when all numbers are words. */
export const saySymbolsIn = (text: string, wording: Wording): string =>
  text.replace(symbol, (mark) => ` ${wording.symbols[mark as SpokenSymbol]} `).replace(silent, ' ')

const minus = /(?<=\d) ?[-−–] ?(?=\d{1,9}(?:[.,]\d{1,9})? ?=)/g
const times = /(?<=\d) ?[*×] ?(?=\d)|(?<=\d) x (?=\d)/g
const repetitions = /(?<![\p{L}\d.,])(\d{1,3})x(?![\p{L}\d])/gu
const compared = /(?<=\d) ?([<>]) ?(?=\d)/g
const about = /(?<![\p{L}\p{N}])[~≈] ?(?=\d)/gu

/** Sums, before a minus is taken for a range. */
export const sayCalculationsIn = (text: string, { symbols }: Wording): string =>
  text
    .replace(minus, ` ${symbols['-']} `)
    .replace(times, ` ${symbols['×']} `)
    .replace(repetitions, `$1 ${symbols['×']}`)
    .replace(compared, (_, mark: '<' | '>') => ` ${symbols[mark]} `)
    .replace(about, `${symbols['≈']} `)
    .replace(/(?<=\bC)#/g, ' sharp')
