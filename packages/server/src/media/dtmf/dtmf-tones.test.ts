import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomOf } from '#test/sound/spectrum.ts'
import { DtmfDetector, dtmfSound } from './dtmf-tones.ts'
import { G711 } from '../codec/g711.ts'
import { holdMusic } from '../sound/hold-music.ts'
import { sine } from '../sound/tone.ts'

const all = '1234567890*#ABCD'

const detect = (pcm: Int16Array, frame = 160): string => {
  const detector = new DtmfDetector()
  let heard = ''
  for (let at = 0; at < pcm.length; at += frame) heard += detector.write(pcm.subarray(at, at + frame))
  return heard
}

const join = (...parts: Int16Array[]): Int16Array => Int16Array.from(parts.flatMap((part) => [...part]))
const silence = (ms: number): Int16Array => new Int16Array(ms * 8)
const scaled = (pcm: Int16Array, db: number): Int16Array => pcm.map((sample) => sample * 10 ** (db / 20))

const pair = (low: number, high: number, ms: number, lowDb: number, highDb: number): Int16Array => {
  const first = sine([low], ms, 8000, lowDb)
  const second = sine([high], ms, 8000, highDb)
  return first.map((sample, i) => sample + second[i]!)
}

test('detects every key once, at any offset in the frames', () => {
  for (const offset of [0, 1, 37, 80, 101])
    assert.equal(detect(join(new Int16Array(offset), dtmfSound(all, 8000))), all, `shifted by ${offset}`)
  assert.equal(detect(dtmfSound('1122', 8000), 80), '1122')
})

test('detects keys from -5 to -32 dB, through A-law, and over noise', () => {
  for (const db of [0, -10, -22]) assert.equal(detect(scaled(dtmfSound(all, 8000), db)), all, `${db} dB`)
  assert.equal(detect(scaled(dtmfSound(all, 8000), -40)), '', 'too quiet to be meant')
  const codec = new G711('PCMA')
  const pcm = scaled(dtmfSound(all, 8000), -12)
  const bytes = new Uint8Array(pcm.length)
  codec.encode(pcm, bytes, 0)
  codec.decode(bytes, 0, bytes.length, pcm, 0)
  assert.equal(detect(pcm), all)
  const random = randomOf(3)
  assert.equal(detect(dtmfSound(all, 8000).map((sample) => sample + (random() - 0.5) * 3000)), all)
})

test('accepts 40 ms, rejects 20 ms; gaps of 40 ms separate, dropouts of 10 ms do not', () => {
  assert.equal(detect(dtmfSound(all, 8000, { toneMs: 45, gapMs: 45 })), all)
  assert.equal(detect(dtmfSound('55555', 8000, { toneMs: 60, gapMs: 40 })), '55555')
  for (let offset = 0; offset < 102; offset += 7) {
    assert.equal(
      detect(join(silence(40), new Int16Array(offset), dtmfSound('5', 8000, { toneMs: 40, gapMs: 60 }))),
      '5',
      `40 ms at ${offset}`,
    )
    assert.equal(
      detect(join(silence(40), new Int16Array(offset), dtmfSound('5', 8000, { toneMs: 20, gapMs: 60 }))),
      '',
      `20 ms at ${offset}`,
    )
  }
  const tone = dtmfSound('5', 8000, { toneMs: 100, gapMs: 0 })
  assert.equal(detect(join(tone, silence(10), tone, silence(50))), '5')
})

test('reports a long press as one key', () => {
  assert.equal(detect(dtmfSound('8', 8000, { toneMs: 5000, gapMs: 100 })), '8')
})

test('tolerates a frequency error of 1.5 %, not of 3.5 %', () => {
  for (const factor of [0.985, 1.015]) assert.equal(detect(pair(770 * factor, 1336 * factor, 100, -10, -10)), '5', `${factor}`)
  for (const factor of [0.955, 1.045]) assert.equal(detect(pair(770 * factor, 1336 * factor, 100, -10, -10)), '', `${factor}`)
})

test('tolerates twist within the limits of lines', () => {
  assert.equal(detect(pair(770, 1336, 100, -10, -14)), '5')
  assert.equal(detect(pair(770, 1336, 100, -17, -10)), '5')
  assert.equal(detect(pair(770, 1336, 100, -10, -22)), '')
  assert.equal(detect(pair(770, 1336, 100, -22, -10)), '')
  assert.equal(detect(sine([770], 200, 8000)), '')
})

test('ignores other telephone tones', () => {
  for (const frequencies of [
    [425],
    [350, 440],
    [440, 480],
    [480, 620],
    [1000],
    [1100],
    [2100],
    [697, 770],
    [1209, 1336],
    [700, 1200, 2000],
  ]) {
    assert.equal(detect(sine(frequencies, 500, 8000)), '', frequencies.join())
  }
})

/** Gliding vowels: pulses through three moving resonances, with breath between. */
const babble = (seconds: number, seed: number): Int16Array => {
  const random = randomOf(seed)
  const pcm = new Int16Array(seconds * 8000)
  const state = new Float64Array(6)
  let [pitch, phase, loud] = [120, 0, 0]
  let formants = [500, 1500, 2500]
  let goal = formants
  for (let i = 0; i < pcm.length; i++) {
    if (i % 1200 === 0) {
      goal = [250 + random() * 700, 800 + random() * 1400, 2000 + random() * 1300]
      pitch = 80 + random() * 220
      loud = random() < 0.2 ? 0 : 0.3 + random()
    }
    formants = formants.map((one, k) => one + (goal[k]! - one) * 0.002)
    phase += pitch / 8000
    let sample = (random() - 0.5) * 0.05 * loud
    if (phase >= 1) {
      phase -= 1
      sample += loud
    }
    for (let k = 0; k < 3; k++) {
      const radius = 0.97 - k * 0.01
      const next = sample + 2 * radius * Math.cos((2 * Math.PI * formants[k]!) / 8000) * state[2 * k]! - radius * radius * state[2 * k + 1]!
      state[2 * k + 1] = state[2 * k]!
      state[2 * k] = next
      sample = next * (1 - radius) * 3
    }
    pcm[i] = Math.max(-32768, Math.min(32767, sample * 30_000))
  }
  return pcm
}

/** Chords of two to four notes with overtones, like an instrument. */
const chords = (seconds: number, seed: number): Int16Array => {
  const random = randomOf(seed)
  const pcm = new Int16Array(seconds * 8000)
  for (let start = 0; start < pcm.length; start += 2000) {
    const notes = Array.from({ length: 2 + Math.floor(random() * 3) }, () => 220 * 2 ** (Math.floor(random() * 36) / 12))
    for (let i = 0; i < 2000 && start + i < pcm.length; i++) {
      let sample = 0
      for (const note of notes) for (let k = 1; k < 5; k++) sample += Math.sin((2 * Math.PI * note * k * i) / 8000) / k / k
      pcm[start + i] = Math.max(-32768, Math.min(32767, sample * 5000 * Math.exp(-i / 3000)))
    }
  }
  return pcm
}

test('detects no key in two minutes of babble, chords, noise and hold music', () => {
  assert.equal(detect(babble(120, 5)), '')
  assert.equal(detect(chords(120, 6)), '')
  assert.equal(detect(holdMusic(8000)), '')
  const random = randomOf(7)
  assert.equal(detect(Int16Array.from({ length: 120 * 8000 }, () => (random() - 0.5) * 40_000)), '')
})

test('detects a key during soft speech', () => {
  const voice = scaled(babble(4, 8), -22)
  const tones = dtmfSound('159#', 8000)
  assert.equal(detect(tones.map((sample, i) => sample + voice[i]!)), '159#')
})

test('generates the same duration and pitch at 16 kHz', () => {
  const half = dtmfSound('147', 16_000).filter((_, i) => i % 2 === 0)
  assert.equal(detect(half), '147')
  assert.throws(() => dtmfSound('1x', 8000), RangeError)
})
