/** One second at 8 kHz, more than anything waits here; a power of two. */
const capacity = 8192
/** How late packets may be: 200 ms. With more, our answers would come too late; with less, pauses of a busy machine would be taken for loss. */
const delay = 1600
/** How early the first packet after a pause may be before the following ones are expected to be as early. */
const tolerance = 800
/** A modem that bridges a gap takes its carrier to be there. Beyond this one (200 ms) it is not: there is silence. */
const maxGapLength = 1600
const silence = new Int16Array(capacity)

export interface Ear {
  /** The memory is used again. */
  hear(samples: Int16Array): void
  hearNothing(count: number): void
}

/** What arrives, at the time when it was said, a fixed time later. Nothing is made up for a gap: modems know better what to do about it. */
export class RtpTimeline {
  readonly #samples = new Int16Array(capacity)
  readonly #there = new Uint8Array(capacity)
  #waiting = 0
  #started = false
  #ssrc = 0
  /** Timestamp of the sample that is heard next. */
  #next = 0
  /** Samples that were missing one after the other. */
  #gap = maxGapLength

  put(timestamp: number, ssrc: number, samples: Int16Array): void {
    if (!this.#started || ssrc !== this.#ssrc) this.#anchor(timestamp, ssrc)
    let ahead = (timestamp - this.#next) | 0
    if (this.#isAstray(ahead, samples.length)) {
      this.#anchor(timestamp, ssrc)
      ahead = delay
    }
    for (const [index, sample] of samples.entries())
      if (ahead + index >= 0) this.#keep((this.#next + ahead + index) & (capacity - 1), sample)
  }

  /** Everything else is heard already, and this belongs to another time: the far end has paused, or we have. */
  #isAstray(ahead: number, length: number): boolean {
    if (ahead + length > capacity) return true
    return this.#waiting === 0 && (ahead < 0 || ahead > delay + tolerance)
  }

  take(count: number, ear: Ear): void {
    for (let done = 0; done < count;) {
      const at = this.#next & (capacity - 1)
      const isThere = this.#there[at]
      const max = Math.min(count - done, capacity - at)
      let run = 1
      while (run < max && this.#there[at + run] === isThere) run++
      if (isThere) ear.hear(this.#samples.subarray(at, at + run))
      else if (this.#gap < maxGapLength) ear.hearNothing(run)
      else ear.hear(silence.subarray(0, run))
      this.#gap = isThere ? 0 : this.#gap + run
      this.#there.fill(0, at, at + run)
      if (isThere) this.#waiting -= run
      this.#next = (this.#next + run) | 0
      done += run
    }
  }

  #anchor(timestamp: number, ssrc: number): void {
    this.#started = true
    this.#ssrc = ssrc
    this.#next = (timestamp - delay) | 0
    this.#there.fill(0)
    this.#waiting = 0
  }

  #keep(at: number, sample: number): void {
    this.#samples[at] = sample
    if (this.#there[at]) return
    this.#there[at] = 1
    this.#waiting++
  }
}
