import { baseOf } from '../texts.ts'
import { claimWords, deeds, type ClaimWords, type Deed } from './claim-words.ts'

/** A sentence that says that something was done. `first`: by the assistant; otherwise it may report what a tool has found. */
export interface Claim {
  sentence: string
  deeds: readonly Deed[]
  first: boolean
}

interface Patterns {
  begins: RegExp
  first: RegExp
  passive: RegExp
  taken: RegExp
  unless: RegExp
  participles: readonly (readonly [Deed, RegExp])[]
}

const patternsOf = ({ participles, first, passive, gap, unless, taken }: ClaimWords): Patterns => {
  const any = `(?:${deeds.map((deed) => participles[deed]).join('|')})`
  const end = '(?![\\p{L}\\p{N}])'
  return {
    begins: new RegExp(gap === '' ? `(?:${first}|${passive})${any}${end}` : `${first}|${passive}`, 'iu'),
    first: new RegExp(`${first}${gap}(${any})${end}`, 'iu'),
    passive: new RegExp(`${passive}${gap}(${any})${end}`, 'iu'),
    taken: new RegExp(`(?:${taken})${any}${end}`, 'iu'),
    unless: new RegExp(unless, 'iu'),
    participles: deeds.map((deed) => [deed, new RegExp(`^(?:${participles[deed]})$`, 'iu')]),
  }
}

const compiled = new Map<string, Patterns>()
const patternsIn = (language: string): Patterns | undefined => {
  const base = baseOf(language)
  const words = claimWords[base]
  if (!words) return undefined
  const patterns = compiled.get(base) ?? patternsOf(words)
  compiled.set(base, patterns)
  return patterns
}

/** No sentence of a voice is longer; a longer one is not examined. */
const maxLength = 600

const plain = (text: string): string => text.normalize('NFC').replaceAll('’', "'").replace(/\s+/g, ' ').trim()

/** True if the beginning of a sentence may become a claim. */
export const mayClaim = (text: string, language: string): boolean => {
  const patterns = patternsIn(language)
  const begun = plain(text)
  return patterns !== undefined && patterns.begins.test(begun) && !patterns.unless.test(begun)
}

/** The claim in one sentence. Questions, negations, conditions and intentions are none. */
export const claimIn = (sentence: string, language: string): Claim | undefined => {
  const text = plain(sentence)
  const patterns = patternsIn(language)
  if (!patterns || text.length > maxLength || /\?["'”»)]*$/.test(text)) return undefined
  const found = patterns.first.exec(text)
  const match = found ?? (patterns.taken.test(text) ? null : patterns.passive.exec(text))
  if (!match) return undefined
  if (patterns.unless.test(text.slice(0, match.index + match[0].length))) return undefined
  const said = match[1] ?? ''
  return {
    sentence: text,
    deeds: patterns.participles.filter(([, participle]) => participle.test(said)).map(([deed]) => deed),
    first: found !== null,
  }
}
