import type { TtsWish } from '@offhook/contract/assistant/actions.ts'
import type { Static } from 'typebox'
import { type Speech, type SpeechProvider, type Tts, speechProviders, type KnownVoice } from '#core/kernel/ports/speech.ts'
import { mainLanguage } from '../text-normalization/main-language.ts'

type Input = Static<typeof TtsWish> | undefined
type VoiceRequest = NonNullable<Input> & { language: string }

/** Provider with voice and language. */
export interface ChosenVoice {
  provider: SpeechProvider
  tts: Tts
  /** Missing: the provider's default. */
  voice?: string
  /** Default language of text. */
  language: string
}

export interface VoiceChoice {
  /** In order of preference; the next is used if one fails. */
  voices: readonly ChosenVoice[]
  /** For the account: reason for using another voice. */
  problems: string[]
}

/** Action's voice, then the flow's, then the embedded one. */
export const chooseVoices = (speech: Speech, action: Input, flow: Input, language: string): VoiceChoice => {
  const own = { ...flow, language: flow?.language ?? language }
  // Last resort is the wrong language: better than silence.
  const embedded = [action?.language ?? own.language, own.language].map((spoken) => ({ provider: 'embedded', language: spoken }))
  const inputs = [...(action ? [completed(action, own)] : []), own, ...embedded]
  const problems: string[] = []
  const voices: ChosenVoice[] = []
  for (const input of inputs) {
    const found = findVoice(speech, input)
    if (typeof found === 'string') problems.push(found)
    else {
      if (!voices.some((voice) => sameVoice(voice, found))) voices.push(found)
      if (found.voice !== undefined && isUnknownVoice(speech, found.provider, found.voice))
        problems.push(`tts.voice: "${found.provider}" has no voice "${found.voice}"; another one speaks`)
    }
  }
  return { voices, problems: [...new Set(problems)] }
}

/** Inherits missing settings from the flow; but a voice belongs to its provider. */
const completed = (action: NonNullable<Input>, own: VoiceRequest): VoiceRequest => {
  const sameProvider = action.provider === undefined || providerNamed(action.provider) === providerNamed(own.provider ?? 'embedded')
  return { ...(sameProvider ? own : { language: own.language }), ...action }
}

const remedy = '; install espeak-ng or choose a provider that does'

const findVoice = (speech: Speech, input: VoiceRequest): ChosenVoice | string => {
  const name = input.provider ?? 'embedded'
  const { language } = input
  const provider = providerNamed(name)
  if (!provider) return `tts.provider: "${name}" is not known`
  const tts = speech.tts(provider)
  if (!tts) return `tts.provider: "${name}" is not set up here`
  if (!tts.speaks(language)) return `tts.language: "${name}" does not speak "${language}"${provider === 'embedded' ? remedy : ''}`
  const voice = nameOfVoice(input.voice)
  return { provider, tts, language, ...(voice !== undefined && { voice }) }
}

export const nameOfVoice = (voice: NonNullable<Input>['voice']): string | undefined =>
  typeof voice === 'object' ? (voice.id ?? voice.name) : voice

const sameVoice = (one: ChosenVoice, other: ChosenVoice): boolean =>
  one.provider === other.provider && one.voice === other.voice && one.language === other.language

/** Endpoints write it in several ways: ELEVEN_LABS, elevenlabs, eleven-labs. */
export const providerNamed = (name: string): SpeechProvider | undefined => {
  const wanted = plain(name)
  return speechProviders.find((provider) => plain(provider) === wanted)
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '')

/** Local providers with a complete list of voices; the others may have more than they list. */
const withoutOthers: readonly SpeechProvider[] = ['embedded', 'espeak']

interface VoiceFilter {
  provider?: string | undefined
  language?: string | undefined
}

/** All known voices, embedded ones first. */
export const knownVoices = (speech: Speech, { provider, language }: VoiceFilter = {}): (KnownVoice & { provider: SpeechProvider })[] =>
  speechProviders
    .filter((name) => provider === undefined || name === providerNamed(provider))
    .flatMap((name) => (speech.tts(name)?.voices?.() ?? []).map((voice) => ({ ...voice, provider: name })))
    .filter((voice) => language === undefined || voice.language === undefined || mainLanguage(voice.language) === mainLanguage(language))

/** True if the provider certainly lacks this voice. Otherwise it is accepted unchecked. */
export const isUnknownVoice = (speech: Speech, provider: SpeechProvider, voice: string): boolean => {
  const voices = withoutOthers.includes(provider) ? speech.tts(provider)?.voices?.() : undefined
  const wanted = voice.toLowerCase()
  return voices !== undefined && !voices.some(({ id, name }) => id.toLowerCase() === wanted || name.toLowerCase() === wanted)
}
