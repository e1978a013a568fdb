import type { NumberWords } from './numbers.ts'

/** What is written otherwise: `$1` is a part of what was found, or a function is given the parts. */
export type Variant = readonly [found: RegExp, written: string | ((...parts: string[]) => string)]

/** How a language writes what recognisers write in several ways. */
export interface SpellingTable {
  /** In their order. A capital at the beginning stays one. */
  variants: readonly Variant[]
  numbers: NumberWords
}
