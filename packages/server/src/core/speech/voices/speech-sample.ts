import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Speech, Tts, Utterance } from '#core/kernel/ports/speech.ts'
import { pcmWav } from '#core/kernel/sound/pcm-wav.ts'
import { within } from '#core/kernel/work/within.ts'
import { spokenText } from '../text-normalization/spoken-text.ts'
import { isUnknownVoice } from './known-voices.ts'
import { providerNamed } from './providers.ts'

export interface SampleRequest {
  provider?: string
  voice?: string
  language: string
  text: string
}

/** A model may still have to be loaded. */
const sampleTimeoutMs = 30_000
/** Callers wait for their sentences, who tries a voice has time. */
const aheadMs = 5_000

/** How that voice says it, as a WAV file. Unlike in a call no other voice steps in: it would not be what was asked for. */
export const makeSample = async (
  speech: Speech,
  clock: Clock,
  { provider = 'embedded', voice, language, text }: SampleRequest,
): Promise<Buffer> => {
  const named = providerNamed(provider)
  const tts = named && speech.tts(named)
  if (!named || !tts) throw new Problem('speech_unavailable', `The provider "${provider}" is not set up here.`)
  if (voice !== undefined && isUnknownVoice(speech, named, voice)) throw Problem.field('voice', 'is not known here', 'voice_unknown')
  if (!tts.speaks(language)) throw new Problem('speech_unavailable', `The provider "${provider}" does not speak "${language}".`)
  const utterance = { text: spokenText(text, language), language, ahead: aheadMs, ...(voice !== undefined && { voice }) }
  try {
    return pcmWav(await within(clock, sampleTimeoutMs, undefined, (signal) => allOf(tts, utterance, signal)), tts.rate)
  } catch (error) {
    throw new Problem('speech_unavailable', error instanceof Error ? `The voice failed: ${error.message}` : undefined)
  }
}

const allOf = async (tts: Tts, utterance: Utterance, signal: AbortSignal): Promise<Int16Array[]> => {
  const pieces: Int16Array[] = []
  for await (const piece of tts.synthesize(utterance, signal)) pieces.push(piece)
  return pieces
}
