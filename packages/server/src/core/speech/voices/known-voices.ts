import { speechProviders, type KnownVoice, type Speech, type SpeechProvider } from '#core/kernel/ports/speech.ts'
import { mainLanguage } from '../text-normalization/main-language.ts'
import { providerNamed } from './providers.ts'

/** These run on this machine, so that all their voices are known; the other providers may have more than they say. */
const withoutOthers: readonly SpeechProvider[] = ['embedded', 'espeak']

export interface VoiceFilter {
  provider?: string | undefined
  language?: string | undefined
}

/** Every voice that is known here, the embedded ones first. */
export const knownVoices = (speech: Speech, { provider, language }: VoiceFilter = {}): (KnownVoice & { provider: SpeechProvider })[] =>
  speechProviders
    .filter((name) => provider === undefined || name === providerNamed(provider))
    .flatMap((name) => (speech.tts(name)?.voices?.() ?? []).map((voice) => ({ ...voice, provider: name })))
    .filter((voice) => language === undefined || voice.language === undefined || mainLanguage(voice.language) === mainLanguage(language))

/** Whether this voice would not be used, because nobody has it. Where that cannot be said it is taken as it is. */
export const isUnknownVoice = (speech: Speech, provider: SpeechProvider, voice: string): boolean => {
  const voices = withoutOthers.includes(provider) ? speech.tts(provider)?.voices?.() : undefined
  const wanted = voice.toLowerCase()
  return voices !== undefined && !voices.some(({ id, name }) => id.toLowerCase() === wanted || name.toLowerCase() === wanted)
}
