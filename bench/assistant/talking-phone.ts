import { G711 } from '#media/codec/g711.ts'
import type { Exchange } from '#test/service/exchange.ts'
import { within } from '#test/machine/within.ts'
import { payloadTypes } from '#test/phones/rtp-phone.ts'
import { SipPhone, type PhoneCall } from '#test/phones/sip-phone.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'

const frame = 160
const samplesPerMs = 8
/** Fraction of the loudest sample from which a sample counts as voice: -40 dB. */
const voicedShare = 0.01
/** Peak from which received sound is audible: -40 dB below full scale. */
const audible = 328
/** Line noise at -60 dB: no telephone line is perfectly silent. */
const noiseStrength = 33 * Math.sqrt(3)

/** Root mean square. */
export const levelOf = (samples: Int16Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)

/** Recording to say, with the start and end of the voice in it. */
export interface Utterance {
  samples: Int16Array
  firstVoiced: number
  lastVoiced: number
}

export const utteranceOf = (samples: Int16Array): Utterance => {
  const min = voicedShare * samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)
  const voiced = (sample: number): boolean => Math.abs(sample) >= min
  return { samples, firstVoiced: samples.findIndex(voiced), lastVoiced: samples.findLastIndex(voiced) }
}

/** Times at which the packets with the first and the last voiced sample were sent; performance.now(). */
export interface SaidAt {
  first: number
  last: number
}

/** Packet with something other than digital silence; `audible`: loud enough to be heard. */
export interface Sound {
  at: number
  /** Root mean square. */
  level: number
  audible: boolean
}

interface Saying extends Utterance {
  at: number
  times: SaidAt
  said: (times: SaidAt) => void
}

export interface PhoneRequest {
  /** Sends back received sound, delayed and attenuated. */
  echo?: { delayMs: number; gain: number }
}

/** Telephone that plays a recording and logs when speech was sent and received: 20 ms of G.711 per packet. */
export class TalkingPhone {
  readonly sounds: Sound[] = []
  readonly #phone: SipPhone
  readonly #codec = new G711('PCMA')
  readonly #input: PhoneRequest
  #call: PhoneCall | undefined
  #saying: Saying | undefined
  #echo: number[] = []
  #random = 1

  private constructor(phone: SipPhone, input: PhoneRequest) {
    this.#phone = phone
    this.#input = input
    phone.rtp.sendInstead(() => ({ payloadType: payloadTypes.PCMA, bytes: this.#next() }))
    phone.rtp.onHeard = (samples, at) => this.#hear(samples, at)
  }

  static async open(scope: Scope, exchange: Exchange, input: PhoneRequest = {}): Promise<TalkingPhone> {
    const { user, password } = await exchange.newDevice()
    return new TalkingPhone(await SipPhone.open(scope, { server: exchange.sip, user, password }), input)
  }

  async dial(number: string): Promise<void> {
    this.#call = this.#phone.call(number)
    await within(10_000, `an answer from ${number}`, this.#call.answered)
  }

  async hangUp(): Promise<void> {
    await this.#call?.session.end()
  }

  /** Resolves when the last voiced sample is sent. */
  say(utterance: Utterance): Promise<SaidAt> {
    return new Promise((said) => (this.#saying = { ...utterance, at: 0, times: { first: 0, last: 0 }, said }))
  }

  get saying(): boolean {
    return this.#saying !== undefined
  }

  /** First packet with any sound after this time, and first audible one. */
  firstSounds(after: number): { firstSoundAt: number | undefined; audibleAt: number | undefined } {
    const later = this.sounds.filter(({ at }) => at >= after)
    return { firstSoundAt: later[0]?.at, audibleAt: later.find(({ audible }) => audible)?.at }
  }

  /** The last packet with any sound between these times. */
  lastSound(after: number, before: number): number | undefined {
    return this.sounds.findLast(({ at }) => at >= after && at <= before)?.at
  }

  #hear(samples: Int16Array, at: number): void {
    const peak = samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0)
    // Silence is sent as the smallest A-law step.
    if (peak > 8) this.sounds.push({ at, level: levelOf(samples), audible: peak >= audible })
    const { echo } = this.#input
    if (!echo) return
    if (this.#echo.length === 0) this.#echo.push(...new Int16Array(echo.delayMs * samplesPerMs))
    this.#echo.push(...Array.from(samples, (sample) => sample * echo.gain))
  }

  #next(): Uint8Array {
    const samples = new Int16Array(frame)
    const echoed = this.#echo.splice(0, frame)
    const said = this.#nextSaid()
    for (let i = 0; i < frame; i++) samples[i] = (said[i] ?? 0) + (echoed[i] ?? 0) + this.#noise()
    const bytes = new Uint8Array(frame)
    this.#codec.encode(samples, bytes, 0)
    return bytes
  }

  #nextSaid(): Int16Array {
    const saying = this.#saying
    if (!saying) return new Int16Array(0)
    const { samples, firstVoiced, lastVoiced, times, at } = saying
    const end = at + frame
    if (at <= firstVoiced && firstVoiced < end) times.first = performance.now()
    if (at <= lastVoiced && lastVoiced < end) {
      times.last = performance.now()
      saying.said(times)
    }
    saying.at = end
    if (end >= samples.length) this.#saying = undefined
    return samples.subarray(at, end)
  }

  /** Deterministic noise. */
  #noise(): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0
    return (this.#random / 2 ** 31 - 1) * noiseStrength
  }
}
