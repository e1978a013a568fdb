import { speechProviders, type Speech, type SpeechProvider } from '../ports/speech.ts'
import type { FlowSettings } from '../ports/store/flows.ts'

/** What a flow speaks or hears with, and what keeps its settings from being followed. */
export interface SpokenWith {
  provider?: SpeechProvider
  language: string
  missing?: string
}

type Skill = 'voice' | 'recogniser'

/** The first of these that knows the language takes the place of a provider that cannot be used. */
const standIns: Record<Skill, readonly SpeechProvider[]> = { voice: ['embedded', 'pico', 'espeak'], recogniser: ['embedded'] }
const remedies: Record<Skill, string> = { voice: 'install espeak-ng or set a provider', recogniser: 'set a provider' }

export const speechOf = (
  speech: Pick<Speech, 'stt' | 'tts'>,
  { tts, stt, language }: FlowSettings,
  accountLocale: string,
): { speaks: SpokenWith; hears: SpokenWith } => {
  const own = language ?? accountLocale.replace('_', '-')
  const speaks = (provider: SpeechProvider, tag: string): boolean | undefined => speech.tts(provider)?.speaks(tag)
  const hears = (provider: SpeechProvider, tag: string): boolean | undefined => speech.stt(provider)?.hears(tag)
  return {
    speaks: choose('voice', tts?.provider, tts?.language ?? own, speaks),
    hears: choose('recogniser', stt?.provider, stt?.languages?.[0] ?? own, hears),
  }
}

/** `knows`: undefined when the provider is not set up here. */
const choose = (
  skill: Skill,
  wanted: string | undefined,
  language: string,
  knows: (provider: SpeechProvider, language: string) => boolean | undefined,
): SpokenWith => {
  const name = wanted?.toLowerCase() ?? 'embedded'
  const provider = speechProviders.find((one) => one === name)
  const known = provider && knows(provider, language)
  if (provider && known) return { provider, language }
  const why = !provider ? `${name} is no speech provider` : known === false ? noneFor(skill, provider, language) : `${name} is not set up`
  const standIn = standIns[skill].find((one) => knows(one, language))
  if (standIn) return { provider: standIn, language, missing: why }
  const remedy = provider === 'embedded' ? remedies[skill] : `${noneFor(skill, 'embedded', language)}, ${remedies[skill]}`
  return { language, missing: `${why}: ${remedy}` }
}

const noneFor = (skill: Skill, provider: SpeechProvider, language: string): string => `no ${provider} ${skill} for ${language}`
