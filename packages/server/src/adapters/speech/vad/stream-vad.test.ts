import assert from 'node:assert/strict'
import { test } from 'node:test'
import { samplesPerMs, SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { sine } from '#media/sound/tone.ts'
import { duplexBlockSamples } from '#media/stream/duplex-tap.ts'
import { SampleRing } from '#media/thread/sample-ring.ts'
import { EnergyDetector } from './energy-detector.ts'
import { StreamVad } from './stream-vad.ts'

const rate = 8000

test('keeps the sound of a voice on the track until its reader is notified', () => {
  const [ring, track, detector] = [SampleRing.of(rate), SoundTrack.of(30), new EnergyDetector()]
  const started: number[] = []
  const observer = { started: (at: number) => void started.push(at), stopped: () => {} }
  const vad = new StreamVad({ sound: ring.buffer, track: track.buffer, detector, cancelsEcho: false, observer, beep: undefined })
  const hear = (sound: Int16Array): void => {
    for (let at = 0; at < sound.length; at += duplexBlockSamples) {
      const block = new Int16Array(2 * duplexBlockSamples)
      block.set(sound.subarray(at, at + duplexBlockSamples))
      ring.write(block)
      while (vad.nextWindow()) vad.judge(detector.probability(vad))
    }
  }
  track.needs('turn', undefined)
  hear(new Int16Array(5 * rate))
  hear(sine([500, 1800], 1000, rate))
  hear(new Int16Array(5 * rate))
  const from = started[0]! - 300 * samplesPerMs
  assert.equal(started.length, 1)
  assert.equal(track.read(from).length, track.length - from)
  track.knowsVoice(started[0]!)
  hear(new Int16Array(2 * rate))
  assert.ok(track.read(from).length < 2 * rate)
})
