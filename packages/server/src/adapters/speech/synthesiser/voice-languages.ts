import { mainLanguage } from '#core/speech/text-normalization/main-language.ts'
import type { ModelPart } from '../models/model-list.ts'

/** Languages that have a model. */
export const voiceLanguages = ['en', 'de'] as const
export type VoiceLanguage = (typeof voiceLanguages)[number]

export interface VoiceKind {
  part: ModelPart
  /** Of normal speech; the German model speaks too fast by itself. */
  speed: number
  /** How much chance there is in the voice and in the length of its sounds: less is clearer, more is livelier. */
  noise: number
  lengthNoise: number
  /** To be as loud as the others. */
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
