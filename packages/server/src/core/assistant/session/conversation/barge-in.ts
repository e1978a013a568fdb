import type { BargeInRule } from '@offhook/contract/assistant/barge-in.ts'
import type { InterruptionReason } from '@offhook/contract/v2/timeline.ts'

/** What ended a speech: what was understood of the caller, and why that was enough. */
export interface Cut {
  reason: InterruptionReason
  text: string
}

/** The caller is heard, but interrupts nothing. */
export const noBargeIn: BargeInRule = { strategy: 'manual', minimumCharacters: 0, allowAfterMs: 0 }
