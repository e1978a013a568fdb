import type { Speech, SpeechProvider } from '#core/kernel/ports/speech.ts'
import type { FlowSettings } from '#core/kernel/ports/store/assistant.ts'
import { providerNamed, chooseVoices } from '#core/speech/voices/voices.ts'

/** Speech provider and language of a flow, and the reason why its settings cannot be followed. */
interface SpokenWith {
  provider?: SpeechProvider
  language: string
  missing?: string
}

/** Resolves the providers that a call starting now would use. */
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

/** Falls back to the embedded recogniser: a call needs one. */
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
