import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import { usualPatience, type Patience } from '#core/speech/turns/turn-silence.ts'

export const patienceOf = ({ endOfTurnSilenceMs, turnTaking }: Pick<FlowSettings, 'endOfTurnSilenceMs' | 'turnTaking'>): Patience => ({
  ...usualPatience,
  ...(endOfTurnSilenceMs !== undefined && { silenceMs: endOfTurnSilenceMs }),
  ...(turnTaking && { turnTaking }),
})

type Wish = Pick<ActionOf<'configure_transcription'>, 'vad' | 'turn_taking'>

/** What an action says of it holds until another does. */
export const patienceAfter = (before: Patience, { vad, turn_taking: turnTaking }: Wish): Patience => ({
  ...before,
  silenceMs: vad?.end_of_turn_silence_ms ?? before.silenceMs,
  turnTaking: turnTaking ?? before.turnTaking,
})

type Expecting = Pick<ActionOf<'speak'>, 'expects' | 'expects_digits'>

/** Until another is expected. */
export const patienceExpecting = (before: Patience, { expects = 'anything', expects_digits: expectsDigits }: Expecting): Patience => ({
  ...before,
  expects,
  expectsDigits,
})
