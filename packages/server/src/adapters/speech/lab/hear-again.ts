import type { HeardAgain } from '#core/assistant/lab/listen-again.ts'
import type { BothSides } from '#core/kernel/ports/lab/lab.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { framesPerSecond } from '#media/codec/codec.ts'
import { DuplexTap, duplexBlockSamples } from '#media/stream/duplex-tap.ts'
import { SampleRing } from '#media/thread/sample-ring.ts'
import { StreamVad } from '../vad/stream-vad.ts'
import type { VoiceDetector } from '../vad/voice-detector.ts'

const trackSeconds = 2
/** Ten seconds of sound: so often the thread looks whether it is to end. */
const restFrames = 500

export interface HearDeps {
  detector: VoiceDetector
  cancelsEcho: boolean
  rest: () => Promise<void>
}

/** Both sides of a call through the ear of a call: the echo is taken out, and speech is noticed, block by block. */
export const hearAgain = async ({ rate, heard, sent }: BothSides, { detector, cancelsEcho, rest }: HearDeps): Promise<HeardAgain> => {
  const ring = SampleRing.of(8 * duplexBlockSamples)
  const tap = new DuplexTap(ring.buffer)
  const frame = rate / framesPerSecond
  const track = SoundTrack.of(trackSeconds)
  track.needs('turn', undefined)
  const clean = new Int16Array(Math.ceil((heard.length / frame) * duplexBlockSamples))
  const changes: { kind: 'noticed' | 'started' | 'stopped'; at: number; told: number }[] = []
  const notify = (kind: 'noticed' | 'started' | 'stopped') => (at: number) => {
    changes.push({ kind, at, told: track.length })
    if (kind === 'started') track.knowsVoice(at)
  }
  const observer = { noticed: notify('noticed'), started: notify('started'), stopped: notify('stopped') }
  const vad = new StreamVad({ sound: ring.buffer, track: track.buffer, detector, cancelsEcho, observer, beep: undefined })
  let length = 0
  for (let at = 0; at + frame <= heard.length; at += frame) {
    if (at % (frame * restFrames) === 0) await rest()
    tap.heard(heard.subarray(at, at + frame))
    tap.sent(sent.subarray(at, at + frame))
    while (vad.nextWindow()) {
      clean.set(track.read(length), length)
      length = track.length
      vad.judge(detector.probability(vad))
    }
  }
  return { track: clean.subarray(0, length), changes }
}
