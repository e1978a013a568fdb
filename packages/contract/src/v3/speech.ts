import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Items, Output } from '../values.ts'

export const mostSampleCharacters = 200

/** A voice, as providers name it. */
export const Voice = Output({
  id: Type.String({ description: 'For tts.voice' }),
  name: Type.String(),
  language: Type.Optional(Type.String({ description: 'BCP 47; missing: it speaks many' })),
  provider: Type.String({ description: 'For tts.provider' }),
})

const common = { auth: 'user', bearer: true, scopes: ['all'] } as const

export const speechOperations = {
  listVoices: operation({
    id: 'listVoices',
    method: 'GET',
    path: '/v3/speech/voices',
    summary: 'The voices that are known here; providers may have more',
    ...common,
    permission: 'CAN_GET_FLOWS',
    scoped: true,
    query: Input({
      provider: Type.Optional(Type.String({ maxLength: 40, description: 'embedded, openai, azure, eleven_labs; espeak where installed' })),
      language: Type.Optional(Type.String({ maxLength: 20, description: 'BCP 47: only voices that speak it, wherever they come from' })),
    }),
    status: 200,
    reply: Items(Voice),
  }),
  makeSpeechSample: operation({
    id: 'makeSpeechSample',
    method: 'POST',
    path: '/v3/speech/samples',
    summary: 'How a voice says something: a WAV file; an account may ask 20 times a minute',
    ...common,
    permission: 'CAN_CHANGE_FLOWS',
    scoped: true,
    body: Input({
      provider: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'Default embedded' })),
      voice: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Default: the one that fits the language' })),
      language: Type.String({ minLength: 1, maxLength: 20, description: 'BCP 47, such as de-DE' }),
      text: Type.String({ minLength: 1, maxLength: mostSampleCharacters }),
    }),
    status: 200,
    file: 'audio/wav',
    errors: ['voice_unknown', 'speech_unavailable', 'rate_limited'],
  }),
}
