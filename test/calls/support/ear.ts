import { createCodec } from '#media/codec/create-codec.ts'
import { amplitudeOf } from '#test/sound/spectrum.ts'

/** Sound heard within a moment. */
export interface AudioSnapshot {
  /** Audible tones among the requested ones. */
  tones: number[]
  /** Remaining sound: none, the service's ringback, or something with several notes, such as music or a voice. */
  rest: 'nothing' | 'ringing' | 'music'
}

/** Window of eight packets: long enough to separate tones 25 Hz apart. */
const packets = 8
const packetSamples = 160
/** Packets between two checks for short sounds. */
const noteEvery = 4
const glanceMs = packets * 20
const size = packets * packetSamples
const rate = 8000
/** Phones send their tones at -12 dB; nothing else is that strong at one frequency. */
const audibleTone = 10 ** (-24 / 20)
const audibleRest = 10 ** (-46 / 20)
const ringbackHz = 425
/** Milliseconds without packets that count as silence. */
const silentAfterMs = glanceMs + 60

/** Amplitude; 1 is full scale. */
const strength = (samples: Int16Array, hz: number): number => amplitudeOf(samples, hz, rate) / 32_768

/** Analyses received RTP of one phone (G.711 A-law, 20 ms per packet). */
export class Ear {
  readonly #codec = createCodec('PCMA')
  readonly #bytes = new Uint8Array(size)
  readonly #samples = new Int16Array(size)
  readonly #times = new Float64Array(packets).fill(-Infinity)
  #count = 0
  /** Time of the last ringback: rings are seconds apart. */
  rangAt = -Infinity
  /** Tone that may end before the test checks, and when it was last heard alone. */
  awaits: number | undefined
  awaitedAt = -Infinity

  hear(packet: Uint8Array, from: number): void {
    if (packet.length - from !== packetSamples) return
    const place = this.#count++ % packets
    this.#bytes.set(packet.subarray(from), place * packetSamples)
    this.#times[place] = performance.now()
    if (place % noteEvery === 0) this.#note()
  }

  #note(): void {
    const { tones, rest } = this.#impression(this.awaits === undefined ? [] : [this.awaits])
    if (rest === 'ringing') this.rangAt = performance.now()
    if (rest === 'nothing' && tones.length > 0) this.awaitedAt = performance.now()
  }

  /** Current sound, none of it older than `since`; undefined while unknown. */
  listen(tones: readonly number[], since: number): AudioSnapshot | undefined {
    const now = performance.now()
    const oldest = this.#times[this.#count % packets] ?? 0
    const newest = this.#times[(this.#count + packets - 1) % packets] ?? 0
    if (now - newest > silentAfterMs) return now - since > silentAfterMs ? { tones: [], rest: 'nothing' } : undefined
    return oldest < since ? undefined : this.#impression(tones)
  }

  #impression(tones: readonly number[]): AudioSnapshot {
    const first = (this.#count % packets) * packetSamples
    this.#codec.decode(this.#bytes, first, size, this.#samples, 0)
    if (first > 0) this.#codec.decode(this.#bytes, 0, first, this.#samples, size - first)
    const heard = tones.map((hz) => ({ hz, amplitude: strength(this.#samples, hz) })).filter(({ amplitude }) => amplitude > audibleTone)
    const power = this.#samples.reduce((sum, sample) => sum + sample * sample, 0) / size / 32_768 ** 2
    const rest = Math.sqrt(Math.max(0, 2 * power - heard.reduce((sum, { amplitude }) => sum + amplitude ** 2, 0)))
    // Tones start and end at packet edges; the remainder of a strong tone after its subtraction does not count as sound.
    const loudest = Math.max(0, ...heard.map(({ amplitude }) => amplitude))
    if (rest < Math.max(audibleRest, loudest * 0.15)) return { tones: heard.map(({ hz }) => hz), rest: 'nothing' }
    const rings = strength(this.#samples, ringbackHz) > rest * 0.7
    return { tones: heard.map(({ hz }) => hz), rest: rings ? 'ringing' : 'music' }
  }
}
