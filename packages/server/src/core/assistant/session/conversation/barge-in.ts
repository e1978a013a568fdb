import type { BargeIn, bargeInStrategies } from '@offhook/contract/assistant/actions.ts'
import type { Static } from 'typebox'

/** Whether and how the caller may interrupt a speech. */
export interface BargeInRule {
  strategy: (typeof bargeInStrategies)[number]
  minimumCharacters: number
  /** Counted from its first sound; before, it cannot be interrupted. */
  allowAfterMs: number
}

type Wish = Static<typeof BargeIn> | undefined

/** What the action says goes before the flow's settings. */
export const bargeInRule = (action: Wish, flow: Wish): BargeInRule => ({
  strategy: action?.strategy ?? flow?.strategy ?? 'minimum_characters',
  minimumCharacters: action?.minimum_characters ?? flow?.minimum_characters ?? 3,
  allowAfterMs: action?.allow_after_ms ?? flow?.allow_after_ms ?? 0,
})

/** Whether these words, said when `playedMs` of the speech had been played, are enough to end it. */
export const endsSpeech = (rule: BargeInRule, words: string, playedMs: number): boolean => {
  if (playedMs < rule.allowAfterMs) return false
  if (rule.strategy === 'immediate') return charactersOf(words) > 0
  return rule.strategy === 'minimum_characters' && charactersOf(words) >= rule.minimumCharacters
}

/** Without punctuation and spaces. */
const charactersOf = (words: string): number => words.match(/[\p{L}\p{N}]/gu)?.length ?? 0

/** Recognisers write punctuation for noise: that is not words. */
export const hasWords = (text: string): boolean => charactersOf(text) > 0
