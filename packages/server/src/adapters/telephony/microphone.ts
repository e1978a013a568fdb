import { webFrameSamples, webSampleRate } from '../../core/ports/web-line.ts'
import type { Feed } from '../../media/engine.ts'

const samplesPerMs = webSampleRate / 1000
/** So much waits after a gap, so that the next frame may be late. */
const cushionMs = 40
/** More than this is never kept waiting: whoever was cut off for a moment is heard now, not then. */
const longestMs = 240
/** What always waits for longer is taken out, where nobody says anything. */
const surplusMs = 60
const framesObserved = 50
/** Mean of the absolute samples of a frame that nobody misses. */
const quietLevel = 100

const silence = new Int16Array(cushionMs * samplesPerMs)

/** Frames as a connection brings them, too late or many at once, and by a clock that is not ours; the feed wants one every 20 ms. */
export class Microphone {
  readonly #feed: Feed
  #written = 0
  #frames = 0
  /** The least that was waiting in the last second. */
  #leastMs = Infinity
  #unwantedMs = 0

  constructor(feed: Feed) {
    this.#feed = feed
  }

  write(frame: Int16Array): void {
    const waiting = this.#waitingMs
    if (waiting === 0) this.#put(silence)
    else this.#observe(waiting)
    if (waiting >= longestMs) return
    if (this.#unwantedMs > 0 && isQuiet(frame)) this.#unwantedMs -= webFrameSamples / samplesPerMs
    else this.#put(frame)
  }

  get #waitingMs(): number {
    return Math.max(0, this.#written / samplesPerMs - this.#feed.playedMs())
  }

  #observe(waitingMs: number): void {
    this.#leastMs = Math.min(this.#leastMs, waitingMs)
    if (++this.#frames < framesObserved) return
    this.#unwantedMs = this.#leastMs > surplusMs ? this.#leastMs - cushionMs : 0
    this.#frames = 0
    this.#leastMs = Infinity
  }

  #put(samples: Int16Array): void {
    this.#written += this.#feed.write(samples)
  }
}

const isQuiet = (frame: Int16Array): boolean => {
  let sum = 0
  for (const sample of frame) sum += Math.abs(sample)
  return sum < quietLevel * frame.length
}
