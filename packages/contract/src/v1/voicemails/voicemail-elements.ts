import { Type } from 'typebox'
import { DisplayName, Input, Output } from '../../values.ts'

export const Voicemail = Output({
  id: Type.String(),
  alias: Type.String(),
  timeout: Type.Integer({ description: 'Seconds of ringing before it answers' }),
  active: Type.Boolean(),
  transcription: Type.Boolean({ description: 'Whether messages shall be turned into text' }),
  canTranscribe: Type.Boolean({ description: 'Whether this installation can turn messages into text' }),
  transcriptionsUrl: Type.String(),
  greetingsUrl: Type.String(),
  activeGreetingAlias: Type.String({ description: 'Empty when the standard greeting is played' }),
  activeGreetingId: Type.String(),
  accessNumber: Type.String({ description: 'What to dial inside the account to hear the messages' }),
})

export const VoicemailChange = Input({
  active: Type.Optional(Type.Boolean()),
  timeout: Type.Optional(Type.Integer({ minimum: 0, maximum: 120 })),
  transcription: Type.Optional(Type.Boolean()),
})

const greeting = {
  id: Type.String(),
  alias: Type.String(),
  active: Type.Boolean(),
  duration: Type.Number({ description: 'Seconds' }),
}

export const Greeting = Output(greeting)
export const GreetingWithContent = Output({ ...greeting, base64Content: Type.String() })

/** Bytes of the file. */
export const greetingMaxBytes = 2 * 1024 * 1024

export const NewGreeting = Input({
  alias: DisplayName,
  base64Content: Type.String({
    minLength: 1,
    maxLength: 4 * Math.ceil(greetingMaxBytes / 3),
    description: 'WAV, mono, 16-bit PCM, 8 kHz, at most 2 MiB',
  }),
})

/** Bytes, with room for the longest content and its envelope. */
export const greetingBodyLimit = 3 * 1024 * 1024

export const GreetingChange = Input({ active: Type.Boolean() })
