import { Type, type Static } from 'typebox'
import { Input, OneOf, RequiredText } from '../values.ts'

/** The caller in spoken calls (`offhook test --live --voice`); typed calls ignore it. */
export const CallersVoice = Input({
  engine: Type.Optional(OneOf(['embedded', 'pico', 'espeak'], { description: 'Default: embedded; the others must be installed' })),
  name: Type.Optional(RequiredText(40)),
  speed: Type.Optional(Type.Number({ minimum: 0.5, maximum: 2, default: 1 })),
  pitch: Type.Optional(Type.Integer({ minimum: -6, maximum: 6, default: 0, description: 'Semitones' })),
})
export type CallersVoice = Static<typeof CallersVoice>

/** A pause or a hesitation sound inside a sentence. */
export const Hesitation = Input({
  after: RequiredText(500),
  pause_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, default: 500 })),
  filler: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'Said before the pause: um' })),
})
export type Hesitation = Static<typeof Hesitation>

export const noiseKinds = ['white', 'pink', 'brown', 'babble'] as const

/** The caller's room and connection in spoken calls. */
export const Line = Input({
  noise: Type.Optional(
    Input({
      kind: OneOf(noiseKinds, { description: 'babble: other people talk' }),
      snr_db: Type.Number({ minimum: -10, maximum: 60, description: 'How much louder the caller is' }),
    }),
  ),
  echo: Type.Optional(
    Input({
      level_db: Type.Number({ minimum: -60, maximum: 0, description: 'Of the assistant in the microphone, against how loud it is' }),
      delay_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 500, default: 100 })),
    }),
  ),
  loss_percent: Type.Optional(Type.Number({ minimum: 0, maximum: 50, description: 'Packets of 20 ms that do not arrive' })),
  loss_burst: Type.Optional(Type.Number({ minimum: 1, maximum: 20, default: 1, description: 'So many of them in a row, on average' })),
})
export type Line = Static<typeof Line>
