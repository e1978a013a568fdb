import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { SileroDetector } from '#adapters/speech/vad/silero-detector.ts'
import { StreamVad } from '#adapters/speech/vad/stream-vad.ts'
import { detectorFile } from '#adapters/speech/models/model-list.ts'
import { SoundTrack } from '#core/kernel/sound/sound-track.ts'
import { G711 } from '#media/codec/g711.ts'
import { Ducking } from '#media/sound/layers.ts'
import { SampleRing } from '#media/thread/sample-ring.ts'
import { needs } from '#test/peers/debian.ts'
import { embeddedModels } from '#test/speech/embedded-models.ts'
import { readRecordedSpeech, recordedSpeech, recordedWords } from '#test/speech/recorded-speech.ts'

const models = await embeddedModels('vad')
const rate = 8000
const frame = 160
const seconds = 12

/** Continuous speech, ducked for a moment every four seconds, which must not look like another echo. */
const assistant = (speech: readonly Int16Array[]): Int16Array => {
  const said = new Int16Array(seconds * rate)
  for (let at = 0, nth = 0; at < said.length; nth++) {
    const next = speech[nth % speech.length]!
    said.set(next.subarray(0, said.length - at), at)
    at += next.length
  }
  const ducking = new Ducking()
  for (let at = 0; at < said.length; at += frame) {
    ducking.ducked = at % (4 * rate) >= 2 * rate && at % (4 * rate) < 2.6 * rate
    if (!ducking.idle) ducking.process(said.subarray(at, at + frame), rate)
  }
  return said
}

/** Echo of a phone: delayed, and smeared over some milliseconds. */
const echoOf = (sent: Int16Array, delayMs: number, decibels: number): Int16Array => {
  const gain = 10 ** (decibels / 20)
  const delay = delayMs * (rate / 1000)
  return sent.map((_, i) => gain * (0.8 * (sent[i - delay] ?? 0) - 0.5 * (sent[i - delay - 9] ?? 0) + 0.3 * (sent[i - delay - 23] ?? 0)))
}

const overTheLine = (sound: Int16Array): Int16Array => {
  const codec = new G711('PCMA')
  const bytes = new Uint8Array(sound.length)
  codec.encode(sound, bytes, 0)
  const heard = new Int16Array(sound.length)
  codec.decode(bytes, 0, bytes.length, heard, 0)
  return heard
}

/** Positions of detected voice, certain or not, and of the report; in samples. */
const noticed = async (detector: SileroDetector, heard: Int16Array, sent: Int16Array): Promise<{ at: number; told: number }[]> => {
  const ring = SampleRing.of(4 * 2 * rate)
  const found: { at: number; told: number }[] = []
  let now = 0
  const notify = (at: number): void => void found.push({ at, told: now })
  const observer = { noticed: notify, started: notify, stopped: () => {} }
  const track = SoundTrack.of(seconds + 1).buffer
  const ear = new StreamVad({ sound: ring.buffer, track, detector, cancelsEcho: true, observer, beep: undefined })
  for (; now + frame <= heard.length;) {
    const block = new Int16Array(2 * frame)
    block.set(heard.subarray(now, now + frame))
    block.set(sent.subarray(now, now + frame), frame)
    ring.write(block)
    now += frame
    while (ear.nextWindow()) ear.judge(detector.probability(ear))
  }
  return found
}

test("does not hear the assistant's echo, ducked or not, and hears the caller through it", { skip: models.skip }, async (t) => {
  if (!(await needs(t, recordedSpeech, recordedWords))) return
  const detector = await SileroDetector.load(join(await models.folderWith(), detectorFile))
  const speech = (await readRecordedSpeech()).map(({ samples }) => samples)
  const sent = assistant(speech)
  for (const [delayMs, decibels] of [
    [20, -12],
    [60, -20],
    [120, -20],
    [200, -30],
  ] as const) {
    const echo = echoOf(sent, delayMs, decibels)
    assert.deepEqual(await noticed(detector, overTheLine(echo), sent), [], `${delayMs} ms, ${decibels} dB`)
    const both = echo.slice()
    const begins = [3, 7].map((second, nth) => {
      const words = speech[20 + nth]!.subarray(0, 1.5 * rate)
      const at = second * rate
      for (let i = 0; i < words.length; i++) both[at + i] = Math.max(-32_768, Math.min(32_767, both[at + i]! + words[i]!))
      return at + words.findIndex((sample) => Math.abs(sample) > 300)
    })
    const found = await noticed(detector, overTheLine(both), sent)
    for (const begin of begins)
      assert.ok(
        found.some(({ told: notified }) => notified >= begin && notified - begin < 0.25 * rate),
        `${delayMs} ms, ${decibels} dB: the caller at ${begin / rate} s, noticed ${JSON.stringify(found)}`,
      )
  }
})
