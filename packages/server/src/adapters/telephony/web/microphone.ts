import { webFrameSamples, webSampleRate } from '#core/kernel/ports/web-legs.ts'
import type { PcmEndpoint } from '#media/engine.ts'

const samplesPerMs = webSampleRate / 1000
const frameMs = webFrameSamples / samplesPerMs
/** How much is buffered after a gap, so that the next frame may be late; more after every gap, and less again when there is none for a while. */
const cushionsMs = { min: 40, most: 160 }
const calmFrames = 500
/** More than this is never buffered: a caller that was cut off for longer is heard without delay again. Less would cost words after a bad moment. */
const maxMs = 1000
/** What is always buffered for longer than needed is taken out where it is quiet; where it is never quiet, after this number of checks anywhere. */
const surplusMs = 20
const framesObserved = 50
const maxPolls = 5
/** Mean of the absolute samples of a frame that can be left out unnoticed. */
const quietLevel = 100

const silence = new Int16Array(cushionsMs.most * samplesPerMs)

/** Frames as a connection brings them, too late or many at once, and by a clock that is not ours; the stream takes one every 20 ms. */
export class Microphone {
  readonly #end: Pick<PcmEndpoint, 'write' | 'playedMs'>
  #written = 0
  #cushionMs = cushionsMs.min
  /** Since the last gap. */
  #frames = 0
  /** The least that was waiting in the last second. */
  #leastMs = Infinity
  #unwantedMs = 0
  /** How often in a row too much was waiting. */
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
