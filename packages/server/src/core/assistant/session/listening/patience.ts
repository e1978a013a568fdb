import type { ActionOf } from '@offhook/contract/assistant/actions.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import { defaultEndpointing, type EndpointingPolicy } from '#core/speech/turns/turn-silence.ts'

export const endpointingOf = ({ endOfTurnSilenceMs, turnTaking }: Pick<FlowSettings, 'endOfTurnSilenceMs' | 'turnTaking'>): EndpointingPolicy => ({
  ...defaultEndpointing,
  ...(endOfTurnSilenceMs !== undefined && { silenceMs: endOfTurnSilenceMs }),
  ...(turnTaking && { turnTaking }),
})

type Input = Pick<ActionOf<'configure_transcription'>, 'vad' | 'turn_taking'>

/** What an action says of it holds until another does. */
export const endpointingAfter = (before: EndpointingPolicy, { vad, turn_taking: turnTaking }: Input): EndpointingPolicy => ({
  ...before,
  silenceMs: vad?.end_of_turn_silence_ms ?? before.silenceMs,
  turnTaking: turnTaking ?? before.turnTaking,
})

type Expecting = Pick<ActionOf<'speak'>, 'expects' | 'expects_digits'>

/** Until another is expected. */
export const endpointingExpecting = (before: EndpointingPolicy, { expects = 'anything', expects_digits: expectsDigits }: Expecting): EndpointingPolicy => ({
  ...before,
  expects,
  expectsDigits,
})
