import type { TtsWish } from '@offhook/contract/assistant/actions.ts'
import type { Static } from 'typebox'
import type { Speech, SpeechProvider, Tts } from '#core/kernel/ports/speech.ts'
import { isUnknownVoice } from './known-voices.ts'
import { providerNamed } from './providers.ts'

type Input = Static<typeof TtsWish> | undefined
type VoiceRequest = NonNullable<Input> & { language: string }

/** One way to say something. */
export interface ChosenVoice {
  provider: SpeechProvider
  tts: Tts
  /** The provider's own choice when missing. */
  voice?: string
  /** Of text that does not say otherwise. */
  language: string
}

export interface VoiceChoice {
  /** The first one speaks; when it cannot, the next does. */
  voices: readonly ChosenVoice[]
  /** For the account: why another voice is used. */
  problems: string[]
}

/** The action's voice, then the flow's, then the embedded one. */
export const chooseVoices = (speech: Speech, action: Input, flow: Input, language: string): VoiceChoice => {
  const own = { ...flow, language: flow?.language ?? language }
  // Last of all the wrong language: better than silence.
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

/** What an action does not say is the flow's; but a voice belongs to its provider. */
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
