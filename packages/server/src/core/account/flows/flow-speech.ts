import type { Speech, SpeechProvider } from '#core/kernel/ports/speech.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant/flows.ts'
import { providerNamed } from '#core/speech/voices/providers.ts'
import { chooseVoices } from '#core/speech/voices/voices.ts'

/** What a flow speaks or hears with, and what keeps its settings from being followed. */
export interface SpokenWith {
  provider?: SpeechProvider
  language: string
  missing?: string
}

/** As it would be in a call that began now. */
export const speechOf = (speech: Speech, settings: FlowSettings, accountLocale: string): { speaks: SpokenWith; hears: SpokenWith } => {
  const language = settings.language ?? accountLocale.slice(0, 2)
  return { speaks: voiceOf(speech, settings, language), hears: recogniserOf(speech, settings, language) }
}

const voiceOf = (speech: Speech, { tts }: FlowSettings, language: string): SpokenWith => {
  const { voices, problems } = chooseVoices(speech, undefined, tts, language)
  const [voice] = voices
  const asWanted = voice?.provider === providerNamed(tts?.provider ?? 'embedded')
  if (voice) return spokenWith(voice.provider, voice.language, asWanted ? [] : problems)
  const wanted = tts?.language ?? language
  const remedy = speech.tts('embedded') ? [] : [`no embedded voice for ${wanted}: install espeak-ng or set a provider`]
  return spokenWith(undefined, wanted, [...problems, ...remedy])
}

/** The embedded recogniser tries in any case: a call needs one. */
const recogniserOf = (speech: Speech, { stt }: FlowSettings, own: string): SpokenWith => {
  const language = stt?.languages?.[0] ?? own
  const problems: string[] = []
  for (const name of new Set([stt?.provider ?? 'embedded', 'embedded'])) {
    const provider = providerNamed(name)
    const found = provider && speech.stt(provider)
    if (!provider) problems.push(`stt.provider: "${name}" is not known`)
    else if (!found) problems.push(`stt.provider: "${name}" is not set up here`)
    else if (!found.hears(language)) problems.push(`stt.languages: "${name}" does not understand "${language}"`)
    if (provider && found && (provider === 'embedded' || found.hears(language))) return spokenWith(provider, language, problems)
  }
  return spokenWith(undefined, language, [...problems, `no embedded recogniser for ${language}: set a provider`])
}

const spokenWith = (provider: SpeechProvider | undefined, language: string, problems: readonly string[]): SpokenWith => ({
  ...(provider && { provider }),
  language,
  ...(problems.length > 0 && { missing: problems.join('; ') }),
})
