import { type SpeechProvider, speechProviders } from '#core/kernel/ports/speech.ts'

/** Endpoints write it in several ways: ELEVEN_LABS, elevenlabs, eleven-labs. */
export const providerNamed = (name: string): SpeechProvider | undefined => {
  const wanted = plain(name)
  return speechProviders.find((provider) => plain(provider) === wanted)
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '')
