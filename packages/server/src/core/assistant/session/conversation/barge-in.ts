import type { BargeIn, bargeInStrategies } from '@offhook/contract/assistant/actions.ts'
import type { Static } from 'typebox'
import type { InterruptionReason } from '@offhook/contract/v2/timeline.ts'

/** Whether and how the caller may interrupt a speech. */
export interface BargeInRule {
  strategy: (typeof bargeInStrategies)[number]
  minimumCharacters: number
  /** Counted from its first sound; before, it cannot be interrupted. */
  allowAfterMs: number
}

/** What ended a speech: what was understood of the caller, and why that was enough. */
export interface Cut {
  reason: InterruptionReason
  text: string
}

type Wish = Static<typeof BargeIn> | undefined

/**
 * What the action says goes before the flow's settings. Who says anything about barge-in without a strategy gets the one that the interface
 * has always had; who says nothing, the better one.
 */
export const bargeInRule = (action: Wish, flow: Wish): BargeInRule => ({
  strategy: action?.strategy ?? flow?.strategy ?? (action || flow ? 'minimum_characters' : 'words'),
  minimumCharacters: action?.minimum_characters ?? flow?.minimum_characters ?? 3,
  allowAfterMs: action?.allow_after_ms ?? flow?.allow_after_ms ?? 0,
})

/** The caller is heard, but interrupts nothing. */
export const noBargeIn: BargeInRule = { strategy: 'manual', minimumCharacters: 0, allowAfterMs: 0 }

/** Whether there are words enough to end a speech, with the strategies `immediate` and `minimum_characters`. */
export const hasEnoughCharacters = (rule: BargeInRule, words: string): boolean => {
  if (rule.strategy === 'immediate') return charactersOf(words) > 0
  return rule.strategy === 'minimum_characters' && charactersOf(words) >= rule.minimumCharacters
}

/** Without punctuation and spaces. */
const charactersOf = (words: string): number => words.match(/[\p{L}\p{N}]/gu)?.length ?? 0

/** Recognisers write punctuation for noise: that is not words. */
export const hasWords = (text: string): boolean => charactersOf(text) > 0
