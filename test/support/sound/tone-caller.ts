import { sine } from '#media/sound/tone.ts'
import { toneLevel } from './spectrum.ts'
import type { Scope } from '../machine/temporary-folder.ts'
import { within } from '../machine/within.ts'

const rate = 16_000
const frameSamples = 320
const frameMs = 20
const kept = 2 * rate
const framesBetweenLooks = 4
const loud = -30
const missing = -50

/** Caller that receives and sends frames of 20 ms at 16 kHz, in real time. */
export class ToneCaller {
  frames = 0
  /** At least the last two seconds of received sound; restarts at the beginning when full. */
  readonly #heard = new Int16Array(2 * kept)
  #end = 0
  /** Sound to send, looped or once. */
  #sound: Int16Array | undefined
  #at = 0
  #once: (() => void) | undefined
  readonly #said: (frame: Int16Array) => void
  #looks: (() => void)[] = []

  constructor(t: Scope, said: (frame: Int16Array) => void) {
    this.#said = said
    const started = performance.now()
    let frames = 0
    const timer = setInterval(() => {
      // Catches up after a delay.
      for (const due = (performance.now() - started) / frameMs; frames < due; frames++) this.#speak()
    }, frameMs / 2)
    t.after(() => clearInterval(timer))
  }

  hears(frame: Int16Array): void {
    if (this.#end + frame.length > this.#heard.length) {
      this.#heard.copyWithin(0, this.#end - kept, this.#end)
      this.#end = kept
    }
    this.#heard.set(frame, this.#end)
    this.#end += frame.length
    // Checking takes longer than receiving.
    if (++this.frames % framesBetweenLooks === 0) for (const look of this.#looks) look()
  }

  /** Sends a tone until the next sound. */
  hums(frequency: number | undefined): void {
    this.#once = undefined
    this.#sound = frequency === undefined ? undefined : sine([frequency], 1000, rate, -10)
    this.#at = 0
  }

  /** Resolves when the last sample is sent. */
  says(sound: Int16Array): Promise<void> {
    this.#sound = sound
    this.#at = 0
    return new Promise((resolve) => (this.#once = resolve))
  }

  hearsTone(frequency: number): Promise<void> {
    return this.until(() => this.level(frequency) > loud, `never heard ${frequency} Hz`)
  }

  missesTone(frequency: number): Promise<void> {
    return this.until(() => this.level(frequency) < missing, `${frequency} Hz is still heard`)
  }

  /** Level in the last 200 ms. */
  level(frequency: number): number {
    return toneLevel(this.recent(200), frequency, rate)
  }

  recent(ms: number): Int16Array {
    return this.#heard.subarray(Math.max(0, this.#end - (ms * rate) / 1000), this.#end)
  }

  /** Checks the condition while sound is received. */
  async until(holds: () => boolean, otherwise: string, ms = 60_000): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const look = (): void => {
      if (holds()) resolve()
    }
    this.#looks.push(look)
    await within(ms, otherwise, promise).finally(() => {
      this.#looks = this.#looks.filter((one) => one !== look)
    })
  }

  #speak(): void {
    const sound = this.#sound
    if (!sound) return this.#said(new Int16Array(frameSamples))
    const frame = new Int16Array(frameSamples)
    frame.set(sound.subarray(this.#at, this.#at + frameSamples))
    this.#said(frame)
    this.#at += frameSamples
    if (this.#at < sound.length) return
    this.#at = 0
    if (!this.#once) return
    this.#sound = undefined
    this.#once()
    this.#once = undefined
  }
}
