import type { Vad, VadObserver } from '#core/kernel/ports/speech.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { duplexBlockSamples } from '#media/stream/duplex-tap.ts'
import { SampleRing } from '#media/thread/sample-ring.ts'

/** Sound of a session, at 8 kHz. */
export interface SessionSound {
  readonly track: SoundTrack
  /** Resolves when there is room for more. */
  write(samples: Int16Array): Promise<void>
  close(): void
}

const trackSeconds = 32

/** Sound without speech detection. */
export const plainSound = (): SessionSound => {
  const track = SoundTrack.of(trackSeconds)
  return { track, write: (samples) => Promise.resolve(track.write(samples)), close: () => track.end() }
}

/** The detector reads a second of sound in a few milliseconds. */
const ringSeconds = 4

/** Sound in which speech is detected. */
export const detectedSound = (vad: Vad, observer: VadObserver): SessionSound => {
  const ring = SampleRing.of(2 * ringSeconds * 8000)
  const listening = vad.listen({ buffer: ring.buffer, close: () => ring.end() }, observer)
  // The other side of the call is silent.
  const block = new Int16Array(2 * duplexBlockSamples)
  let filled = 0
  return {
    track: listening.track,
    async write(samples) {
      for (let at = 0; at < samples.length;) {
        const part = samples.subarray(at, at + duplexBlockSamples - filled)
        block.set(part, filled)
        at += part.length
        filled += part.length
        if (filled < duplexBlockSamples) return
        filled = 0
        if (ring.room < block.length) await ring.hasCapacity(block.length)
        if (ring.write(block) === 0) return
      }
    },
    close() {
      ring.end()
      listening.close()
    },
  }
}
