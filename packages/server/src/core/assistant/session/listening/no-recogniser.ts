import type { Transcript } from '#core/kernel/ports/speech.ts'
import type { Transcriber } from '#core/speech/voices/transcriber.ts'

/** What a conversation needs of a recogniser. */
export type Recognition = Pick<
  Transcriber,
  'provider' | 'emitsPartials' | 'listen' | 'keepTo' | 'transcribe' | 'guess' | 'glances' | 'glance' | 'close'
>

const noWords = (): Promise<Transcript> => Promise.resolve({ text: '' })

/** Where words are nobody's business: turns begin and end by the voice alone. */
export const noRecogniser: Recognition = {
  provider: undefined,
  emitsPartials: true, // there is nothing to ask for
  listen: () => {},
  keepTo: () => {},
  transcribe: noWords,
  guess: noWords,
  glances: false,
  glance: noWords,
  close: () => {},
}
