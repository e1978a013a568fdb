import type { SpeechRate } from '#core/kernel/ports/speech.ts'
import { Resampler } from '#media/codec/resample.ts'
import type { Provider } from './provider.ts'
import type { ProviderReply } from './provider-http.ts'

/** Limit of bytes before the sound of a WAV file. */
const maxHeaderLength = 4096
const defaultRates = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
/** More than the longest filter remembers. */
const tailSamples = 200

/** Of 16 bit samples: half a minute, and half a second for each letter of what is read. */
export const maxSoundBytes = (text: string, rate: number): number => Math.ceil((30 + text.length / 2) * rate * 2)

/** The sound of an answer at the wanted rate, piece by piece: bare 16 bit samples at `rate`, or a WAV file that says its own. */
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

/** Where the samples begin and at what rate; undefined as long as that cannot be told. */
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

/** Pieces of any length; together as long as what came in. */
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

  /** What the filter still holds. */
  rest(): Int16Array | undefined {
    const missing = Math.round(this.#taken * this.#ratio) - this.#given
    return this.#resampler && missing > 0 ? this.#run(this.#resampler, new Int16Array(tailSamples)).subarray(0, missing) : undefined
  }

  #run(resampler: Resampler, samples: Int16Array): Int16Array {
    const into = new Int16Array(Math.ceil(samples.length * this.#ratio) + 1)
    return into.subarray(0, resampler.process(samples, into))
  }
}
