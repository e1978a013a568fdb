import { amplitudeOf } from '../sound/spectrum.ts'
import type { PhoneCall, SipPhone } from '../phones/sip-phone.ts'
import { until } from '../machine/peer-process.ts'
import type { ClusterPhone } from './cluster.ts'

/** Far above the residue of other tones in 20 ms. */
const audible = 1_000

/** Continuous monitor of one end of a call: longest silence, and whether it hears now. */
class Ear {
  readonly #phone: SipPhone
  readonly #hz: number
  #lastAt = 0
  #gapMs = 0
  #heard = 0

  constructor(phone: SipPhone, hz: number) {
    this.#phone = phone
    this.#hz = hz
    phone.rtp.onHeard = (samples, atMs) => this.#listen(samples, atMs)
  }

  /** Restarts the measurement. */
  forget(): void {
    this.#gapMs = 0
    this.#heard = 0
    this.#lastAt = performance.now()
  }

  /** Longest time without the other's tone, in milliseconds. */
  get gapMs(): number {
    return Math.max(this.#gapMs, performance.now() - this.#lastAt)
  }

  /** Packets with the other's tone. */
  get heard(): number {
    return this.#heard
  }

  hearsNow(): Promise<void> {
    this.#phone.rtp.forget()
    return this.#phone.rtp.hears(this.#hz)
  }

  #listen(samples: Int16Array, atMs: number): void {
    if (amplitudeOf(samples, this.#hz, this.#phone.rtp.codec.sampleRate) < audible) return
    this.#gapMs = Math.max(this.#gapMs, atMs - this.#lastAt)
    this.#lastAt = atMs
    this.#heard++
  }
}

/** Call as the test's phones see it. */
export interface LiveCall {
  readonly ears: readonly Ear[]
  /** True until a phone gets a BYE. */
  readonly isAlive: boolean
  /** Hangs up from one side; resolves when all phones have ended. */
  hangUp(fromThere: boolean): Promise<void>
}

const watched = (...calls: readonly PhoneCall[]): { over: number } => {
  const state = { over: 0 }
  for (const call of calls) void call.ended.then(() => state.over++)
  return state
}

/** Connects two phones with two-way audio. */
export const beginBridge = async (caller: ClusterPhone, callee: ClusterPhone, tones: readonly [number, number]): Promise<LiveCall> => {
  const [low, high] = tones
  caller.phone.rtp.say(low)
  callee.phone.rtp.say(high)
  const near = caller.phone.call(callee.number)
  const refused = near.ended.then(({ status }) => Promise.reject(new Error(`nobody was reached: ${status}`)))
  refused.catch(() => {}) // it rejects eventually
  const incoming = await Promise.race([callee.phone.incoming(), refused])
  await callee.phone.accept(incoming)
  await Promise.race([near.answered, refused])
  const vadPool = [new Ear(caller.phone, high), new Ear(callee.phone, low)]
  await Promise.all(vadPool.map((ear) => ear.hearsNow()))
  const far = incoming.call
  const state = watched(near, far)
  return {
    ears: vadPool,
    get isAlive() {
      return state.over === 0
    },
    async hangUp(fromThere) {
      await (fromThere ? far : near).session.end()
      await until('both have ended', () => state.over === 2 || undefined)
    },
  }
}

/** Phone in a call with a silent assistant. */
export const beginSession = async (caller: ClusterPhone, number: string): Promise<LiveCall> => {
  const near = caller.phone.call(number)
  const answered = await Promise.race([near.answered, near.ended])
  if ('by' in answered) throw new Error(`the assistant was not reached: ${answered.status}`)
  const state = watched(near)
  return {
    ears: [],
    get isAlive() {
      return state.over === 0
    },
    async hangUp() {
      await near.session.end()
      await until('it has ended', () => state.over === 1 || undefined)
    },
  }
}
