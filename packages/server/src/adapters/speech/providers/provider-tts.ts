import type { Tts, SpeechRate } from '#core/kernel/ports/speech.ts'
import { Refusal, type Provider } from './provider.ts'
import { Resampler } from '#media/codec/resample.ts'
import type { ProviderReply } from './provider-http.ts'

/** Sends no request for empty text, and ends the sound without an error when aborted. */
export const providerTts = (tts: Tts): Tts => ({
  ...tts,
  async *synthesize(utterance, signal) {
    if (signal.aborted || utterance.text.trim() === '') return
    try {
      for await (const piece of tts.synthesize(utterance, signal)) {
        if (signal.aborted) return
        yield piece
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  },
})

/** Maximum number of remembered names: accounts choose them freely. */
const maxRemembered = 200

/** Chooses a provider's voice: the requested one, unless the provider has rejected it as unknown. */
export class VoiceChoice {
  readonly #unknown = new Set<string>()

  async ask<T>(requested: string | undefined, usual: string, ask: (voice: string) => Promise<T>): Promise<T> {
    const voice = requested === undefined || this.#unknown.has(requested) ? usual : requested
    try {
      return await ask(voice)
    } catch (error) {
      if (voice === usual || !(error instanceof Refusal)) throw error
      const reply = await ask(usual)
      this.#remember(voice)
      return reply
    }
  }

  #remember(unknown: string): void {
    if (this.#unknown.size >= maxRemembered) this.#unknown.clear()
    this.#unknown.add(unknown)
  }
}

/** Maximum bytes before the samples of a WAV file. */
const maxHeaderLength = 4096
const defaultRates = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
/** Longer than the memory of the longest filter. */
const tailSamples = 200

/** Limit for 16 bit samples: half a minute, plus half a second per letter of the text. */
export const maxSoundBytes = (text: string, rate: number): number => Math.ceil((30 + text.length / 2) * rate * 2)

/** Sound of a response at the wanted rate, in chunks: raw 16 bit samples at `rate`, or a WAV file with its own rate. */
export async function* readSound(reply: ProviderReply, rate: number, wanted: SpeechRate, provider: Provider): AsyncGenerator<Int16Array> {
  if (/^(text\/|application\/(json|xml)|audio\/(mpeg|mp3|ogg|opus|aac|flac))/.test(reply.contentType))
    throw provider.fault(`answers with ${/^[\w/+.-]+/.exec(reply.contentType)?.[0]} instead of sound`)
  let converter: RateConverter | undefined
  let head = Buffer.alloc(0)
  let silent = true
  for await (const bytes of reply.body) {
    head = Buffer.concat([head, bytes])
    if (!converter) {
      const start = soundStart(head, rate, provider)
      if (!start) continue
      converter = new RateConverter(start.rate, wanted)
      head = head.subarray(start.at)
    }
    const whole = head.length - (head.length % 2)
    const piece = converter.convert(samplesOf(head.subarray(0, whole)))
    head = head.subarray(whole)
    silent &&= piece.length === 0
    if (piece.length > 0) yield piece
  }
  if (silent) throw provider.fault('gave no sound')
  const rest = converter?.rest()
  if (rest && rest.length > 0) yield rest
}

const samplesOf = (bytes: Buffer): Int16Array => {
  const samples = new Int16Array(bytes.length / 2)
  for (let i = 0; i < samples.length; i++) samples[i] = bytes.readInt16LE(2 * i)
  return samples
}

/** Position and rate of the samples; undefined while the header is incomplete. */
const soundStart = (head: Buffer, rate: number, provider: Provider): { at: number; rate: number } | undefined => {
  if (head.length < 12) return undefined
  if (head.toString('latin1', 0, 4) !== 'RIFF') return { at: 0, rate }
  let stated: number | undefined
  for (let at = 12; at + 8 <= head.length;) {
    const tag = head.toString('latin1', at, at + 4)
    const size = head.readUInt32LE(at + 4)
    const start = at + 8
    if (tag === 'data' && stated !== undefined) return { at: start, rate: stated }
    if (tag === 'fmt ' && start + 16 <= head.length) stated = statedRate(head, start, provider)
    at = start + size + (size % 2)
  }
  if (head.length > maxHeaderLength) throw provider.fault('answers with a WAV file that has no sound')
  return undefined
}

const statedRate = (head: Buffer, at: number, provider: Provider): number => {
  const rate = head.readUInt32LE(at + 4)
  const known = head.readUInt16LE(at + 2) === 1 && head.readUInt16LE(at + 14) === 16 && defaultRates.includes(rate)
  if (!known) throw provider.fault('answers with a WAV file that is not mono with 16 bits at a usual rate')
  return rate
}

/** Accepts chunks of any length; the total duration stays the same. */
class RateConverter {
  readonly #resampler: Resampler | undefined
  readonly #ratio: number
  #taken = 0
  #given = 0

  constructor(from: number, to: number) {
    this.#resampler = from === to ? undefined : new Resampler(from, to, true)
    this.#ratio = to / from
  }

  convert(samples: Int16Array): Int16Array {
    if (!this.#resampler) return samples
    this.#taken += samples.length
    const converted = this.#run(this.#resampler, samples)
    this.#given += converted.length
    return converted
  }

  /** The samples still in the filter. */
  rest(): Int16Array | undefined {
    const missing = Math.round(this.#taken * this.#ratio) - this.#given
    return this.#resampler && missing > 0 ? this.#run(this.#resampler, new Int16Array(tailSamples)).subarray(0, missing) : undefined
  }

  #run(resampler: Resampler, samples: Int16Array): Int16Array {
    const into = new Int16Array(Math.ceil(samples.length * this.#ratio) + 1)
    return into.subarray(0, resampler.process(samples, into))
  }
}
