import type { Static } from 'typebox'
import type { BargeIn, bargeInStrategies } from './actions.ts'

/** Whether and how the caller may interrupt a speech. */
export interface BargeInRule {
  strategy: (typeof bargeInStrategies)[number]
  minimumCharacters: number
  /** Milliseconds from its first sound before which it cannot be interrupted. */
  allowAfterMs: number
}

export type BargeInWish = Static<typeof BargeIn> | undefined

/**
 * The action overrides the flow's settings. Barge-in settings without a strategy get the interface's original default; no settings at all
 * get the better one.
 */
export const bargeInRule = (action: BargeInWish, flow: BargeInWish): BargeInRule => ({
  strategy: action?.strategy ?? flow?.strategy ?? (action || flow ? 'minimum_characters' : 'words'),
  minimumCharacters: action?.minimum_characters ?? flow?.minimum_characters ?? 3,
  allowAfterMs: action?.allow_after_ms ?? flow?.allow_after_ms ?? 0,
})

/** Whether the words suffice to interrupt a speech with the strategies `immediate` and `minimum_characters`. */
export const hasEnoughCharacters = (rule: BargeInRule, words: string): boolean => {
  if (rule.strategy === 'immediate') return hasWords(words)
  return rule.strategy === 'minimum_characters' && charactersOf(words) >= rule.minimumCharacters
}

/** Recognisers write punctuation for noise, which does not count as words. */
export const hasWords = (text: string): boolean => charactersOf(text) > 0

/** Excludes punctuation and spaces. */
const charactersOf = (words: string): number => words.match(/[\p{L}\p{N}]/gu)?.length ?? 0

/** The words complete after this share of the total duration. */
export const wordsWithin = (text: string, share: number): string => {
  const reach = text.length * share
  const ends = [...text.matchAll(/\S+/g)].map(({ index, 0: word }) => index + word.length).filter((end) => end <= reach)
  return text.slice(0, ends.at(-1) ?? 0)
}
