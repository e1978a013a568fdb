import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Concealment } from './concealment.ts'

const loudness = (pcm: Int16Array): number => Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length)

/** A voice-like sound: a pulse train through two resonances. */
const voice = (rate: number, pitch: number, samples: number): Int16Array => {
  const pcm = new Int16Array(samples)
  let [a1, a2, b1, b2] = [0, 0, 0, 0]
  const period = Math.round(rate / pitch)
  for (let i = 0; i < samples; i++) {
    const first = (i % period === 0 ? 1 : 0) + 1.6 * Math.cos((2 * Math.PI * 600) / rate) * a1 - 0.8 * a2
    a2 = a1
    a1 = first
    const second = first + 1.6 * Math.cos((2 * Math.PI * 1500) / rate) * b1 - 0.8 * b2
    b2 = b1
    b1 = second
    pcm[i] = second * 4000
  }
  return pcm
}

const largestStep = (pcm: Int16Array): number => {
  let step = 0
  for (let i = 1; i < pcm.length; i++) step = Math.max(step, Math.abs(pcm[i]! - pcm[i - 1]!))
  return step
}

for (const rate of [8000, 16000]) {
  const frame = rate / 50

  test(`${rate}: conceals a lost frame of a voice without a click on either side`, () => {
    for (const pitch of [90, 125, 160, 190]) {
      const whole = voice(rate, pitch, frame * 10)
      const heard = whole.slice()
      const concealment = new Concealment(rate)
      concealment.heard(heard, 0, frame * 6)
      assert.equal(concealment.conceal(heard, frame * 6, frame * 7), true)
      concealment.heard(heard, frame * 7, heard.length)
      const error = whole.subarray(frame * 6, frame * 7).map((sample, index) => sample - heard[frame * 6 + index]!)
      assert.ok(loudness(error) < 0.3 * loudness(whole.subarray(frame * 6, frame * 7)), `${pitch} Hz is off by ${loudness(error)}`)
      assert.ok(largestStep(heard) < 1.2 * largestStep(whole), `${pitch} Hz clicks`)
      assert.deepEqual(heard.subarray(frame * 8), whole.subarray(frame * 8), 'what comes later is untouched')
    }
  })

  test(`${rate}: fades out a long gap within 60 ms`, () => {
    const concealment = new Concealment(rate)
    const pcm = voice(rate, 120, frame * 4)
    concealment.heard(pcm, 0, pcm.length)
    const levels = Array.from({ length: 5 }, () => {
      const made = new Int16Array(frame)
      const audible = concealment.conceal(made, 0, frame)
      return { audible, level: loudness(made) / loudness(pcm) }
    })
    assert.deepEqual(
      levels.map((one) => one.audible),
      [true, true, true, false, false],
    )
    assert.ok(levels[0]!.level > 0.7 && levels[1]!.level < levels[0]!.level && levels[2]!.level < 0.35 && levels[3]!.level === 0)
  })
}

test('conceals silence with silence', () => {
  const concealment = new Concealment(8000)
  const made = new Int16Array(160).fill(1)
  concealment.conceal(made, 0, 160)
  assert.equal(loudness(made), 0)
})

test('a new voice does not depend on the previous one', () => {
  const concealment = new Concealment(8000)
  const pcm = voice(8000, 120, 800)
  concealment.heard(pcm, 0, 800)
  concealment.reset()
  const made = new Int16Array(160)
  concealment.conceal(made, 0, 160)
  assert.equal(loudness(made), 0)
})

test('gaps may begin and end within a frame', () => {
  const whole = voice(8000, 120, 1600)
  const heard = whole.slice()
  const concealment = new Concealment(8000)
  concealment.heard(heard, 0, 880)
  concealment.conceal(heard, 880, 920)
  concealment.conceal(heard, 920, 960)
  concealment.heard(heard, 960, 970)
  concealment.heard(heard, 970, 1600)
  assert.ok(largestStep(heard) < 1.2 * largestStep(whole))
})

test('does not overflow with the loudest sound', () => {
  const square = Int16Array.from({ length: 480 }, (_, i) => (i % 61 < 30 ? 32767 : -32768))
  const concealment = new Concealment(8000)
  concealment.heard(square, 0, 480)
  const made = new Int16Array(160)
  concealment.conceal(made, 0, 160)
  for (let i = 1; i < 60; i++) assert.ok(Math.abs(made[i]! - square[(480 + i) % 61]!) < 66_000)
  assert.ok(loudness(made) < 32768)
})
