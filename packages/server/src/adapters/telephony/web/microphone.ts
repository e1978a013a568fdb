import { webFrameSamples, webSampleRate } from '#core/kernel/ports/browser.ts'
import type { PcmEndpoint } from '#media/engine.ts'

const samplesPerMs = webSampleRate / 1000
const frameMs = webFrameSamples / samplesPerMs
/** Buffer after a gap, so that the next frame may be late; longer after every gap, shorter again after a while without one. */
const cushionsMs = { min: 40, most: 160 }
const calmFrames = 500
/** Maximum buffer: after a longer interruption a caller is heard without delay again. Less would lose words after an interruption. */
const maxMs = 1000
/** Permanently excess delay is removed in quiet moments; if it is never quiet, after this number of checks. */
const surplusMs = 20
const framesObserved = 50
const maxPolls = 5
/** Mean absolute sample value of a frame that can be dropped unnoticed. */
const quietLevel = 100

const silence = new Int16Array(cushionsMs.most * samplesPerMs)

/** Smooths frames that arrive late, in bursts, and by another clock; the stream takes one every 20 ms. */
export class Microphone {
  readonly #end: Pick<PcmEndpoint, 'write' | 'playedMs'>
  #written = 0
  #cushionMs = cushionsMs.min
  /** Frames since the last gap. */
  #frames = 0
  /** Minimum buffered in the last second. */
  #leastMs = Infinity
  #unwantedMs = 0
  /** Consecutive checks with excess delay. */
  #looks = 0

  constructor(end: Pick<PcmEndpoint, 'write' | 'playedMs'>) {
    this.#end = end
  }

  write(frame: Int16Array): void {
    const waiting = Math.max(0, this.#written / samplesPerMs - this.#end.playedMs())
    if (waiting === 0) this.#restart()
    else this.#observe(waiting)
    if (waiting >= maxMs) return
    if (this.#unwantedMs > 0 && (this.#looks > maxPolls || isQuiet(frame))) this.#unwantedMs -= frameMs
    else this.#put(frame)
  }

  #restart(): void {
    if (this.#written > 0) this.#cushionMs = Math.min(2 * this.#cushionMs, cushionsMs.most)
    this.#put(silence.subarray(0, this.#cushionMs * samplesPerMs))
    this.#frames = 0
    this.#leastMs = Infinity
    this.#unwantedMs = 0
    this.#looks = 0
  }

  #observe(waitingMs: number): void {
    this.#leastMs = Math.min(this.#leastMs, waitingMs)
    this.#frames += 1
    if (this.#frames % calmFrames === 0) this.#cushionMs = Math.max(this.#cushionMs / 2, cushionsMs.min)
    if (this.#frames % framesObserved !== 0) return
    this.#unwantedMs = this.#leastMs > this.#cushionMs + surplusMs ? this.#leastMs - this.#cushionMs : 0
    this.#looks = this.#unwantedMs > 0 ? this.#looks + 1 : 0
    this.#leastMs = Infinity
  }

  #put(samples: Int16Array): void {
    this.#written += this.#end.write(samples)
  }
}

const isQuiet = (frame: Int16Array): boolean => {
  let sum = 0
  for (const sample of frame) sum += Math.abs(sample)
  return sum < quietLevel * frame.length
}
