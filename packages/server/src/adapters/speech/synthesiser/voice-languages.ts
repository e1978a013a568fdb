import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'
import type { ModelPart } from '../models/model-list.ts'
import type { KnownVoice } from '#core/kernel/ports/speech.ts'

/** Languages with a model. */
export const voiceLanguages = ['en', 'de'] as const
export type VoiceLanguage = (typeof voiceLanguages)[number]

export interface VoiceKind {
  part: ModelPart
  /** Relative to normal speech; the German model is too fast by default. */
  speed: number
  /** Randomness of the voice and of its durations: less is clearer, more is livelier. */
  noise: number
  lengthNoise: number
  /** Makes it as loud as the others. */
  gain: number
}

export const voiceKinds: Readonly<Record<VoiceLanguage, VoiceKind>> = {
  en: { part: 'tts-en', speed: 1, noise: 0.3, lengthNoise: 0.3, gain: 1 },
  de: { part: 'tts-de', speed: 0.85, noise: 0.3, lengthNoise: 0.3, gain: 2 },
}

export const voiceLanguageOf = (language: string): VoiceLanguage | undefined => {
  const main = mainLanguage(language)
  return voiceLanguages.find((known) => known === main)
}

const names = new Intl.DisplayNames('en', { type: 'language' })

/** A voice named like its language, as all voices without a provider are. */
export const voiceOf = (id: string): KnownVoice => {
  try {
    const [language = id] = Intl.getCanonicalLocales(id)
    return { id, name: names.of(language) ?? id, language }
  } catch {
    return { id, name: id, language: id } // a variant that is not a language tag
  }
}
