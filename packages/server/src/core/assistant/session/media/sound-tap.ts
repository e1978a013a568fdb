import { samplesPerMs, type SoundTrack } from '#core/kernel/sound/sound-track.ts'

/** 20 ms. */
const frame = 20 * samplesPerMs
/** Who is further behind than this goes on with what is said now. */
const maxBehind = 1000 * samplesPerMs

/** Gives what is said on a track as it is said, 20 ms at a time. */
export class SoundTap {
  readonly #track: SoundTrack
  readonly #give: (samples: Int16Array<ArrayBuffer>) => void
  #at: number
  #closed = false

  constructor(track: SoundTrack, give: (samples: Int16Array<ArrayBuffer>) => void) {
    this.#track = track
    this.#give = give
    this.#at = track.length
    void this.#run()
  }

  close(): void {
    this.#closed = true
  }

  async #run(): Promise<void> {
    while (!this.#closed) {
      await this.#track.reaches(this.#at + frame)
      const { length, ended } = this.#track
      if (ended && length < this.#at + frame) return
      if (length - this.#at > maxBehind) this.#at = length - frame
      while (!this.#closed && length >= this.#at + frame) {
        this.#give(this.#track.read(this.#at, this.#at + frame))
        this.#at += frame
      }
    }
  }
}
