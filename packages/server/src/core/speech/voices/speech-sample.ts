import { Problem } from '@offhook/contract/problem.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Speech, Tts, Utterance } from '#core/kernel/ports/speech.ts'
import { pcmWav } from '#core/kernel/sound/pcm-wav.ts'
import { within } from '#core/kernel/work/waiting.ts'
import { spokenText } from '../text-normalization/spoken-text.ts'
import { isUnknownVoice, providerNamed } from './voices.ts'

interface SampleRequest {
  provider?: string
  voice?: string
  language: string
  text: string
}

/** Allows for loading a model. */
const sampleTimeoutMs = 30_000
/** Lower priority than live callers. */
const aheadMs = 5_000

/** Renders a sample of the voice as a WAV file. Unlike in a call there is no fallback voice: the result must be the requested one. */
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
