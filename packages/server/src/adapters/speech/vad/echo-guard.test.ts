import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomOf } from '#test/sound/spectrum.ts'
import { CancellingGuard, LevelGuard, windowSamples, type EchoGuard, energyOf } from './echo-guard.ts'

const rate = 8000

/** Speech-like: noise of changing colour in syllables. */
const babble = (seconds: number, seed: number, level = 0.1): Float32Array => {
  const random = randomOf(seed)
  let [one, two] = [0, 0]
  return Float32Array.from({ length: seconds * rate }, (_, i) => {
    const turn = 1.6 * Math.cos((2 * Math.PI * (500 + 300 * Math.sin(i / 2300 + seed))) / rate)
    const next = random() - 0.5 + turn * one - 0.7 * two
    two = one
    one = next
    return level * next * Math.max(0, Math.sin(i / 900 + seed)) ** 0.5
  })
}

/** Its echo: delayed, and smeared over some milliseconds. */
const echoOf = (sent: Float32Array, delayMs: number, decibels: number): Float32Array => {
  const delay = delayMs * 8
  const gain = 10 ** (decibels / 20)
  return sent.map((_, i) => gain * (0.8 * (sent[i - delay] ?? 0) - 0.5 * (sent[i - delay - 9] ?? 0) + 0.3 * (sent[i - delay - 23] ?? 0)))
}

const plus = (one: Float32Array, other: Float32Array, at: number): Float32Array => one.map((sample, i) => sample + (other[i - at] ?? 0))

const run = (guard: EchoGuard, heard: Float32Array, sent: Float32Array) => {
  const clean = new Float32Array(heard.length)
  const residuals: number[] = []
  for (let at = 0; at + windowSamples <= heard.length; at += windowSamples) {
    const end = at + windowSamples
    guard.process(heard.subarray(at, end), sent.subarray(at, end), clean.subarray(at, end))
    residuals.push(guard.residual)
  }
  return { clean, residuals }
}

const decibels = (one: number, other: number): number => 10 * Math.log10(one / other)
const second = (from: number, to: number): [number, number] => [from * rate, to * rate]

test('removes an echo at any delay and estimates the residual', () => {
  const sent = babble(8, 1)
  for (const delay of [0, 20, 63, 150, 260]) {
    const heard = echoOf(sent, delay, -20)
    const { clean, residuals } = run(new CancellingGuard(), heard, sent)
    const better = decibels(energyOf(heard, ...second(5, 8)), energyOf(clean, ...second(5, 8)))
    assert.ok(better > 18, `${delay} ms: ${better} dB`)
    for (let window = 0; window < residuals.length; window++) {
      const energy = energyOf(clean, window * windowSamples, (window + 1) * windowSamples)
      assert.ok(energy < 8 * residuals[window]! + 1e-5, `${delay} ms, window ${window}: more is left than was expected`)
    }
  }
})

test('preserves a caller who speaks at the same time', () => {
  const sent = babble(8, 1)
  const caller = babble(2, 5, 0.05)
  const heard = plus(echoOf(sent, 80, -20), caller, 4 * rate)
  const { clean, residuals } = run(new CancellingGuard(), heard, sent)
  const spoken = clean.subarray(...second(4, 6))
  const error = spoken.map((sample, i) => sample - caller[i]!)
  assert.ok(decibels(energyOf(caller), energyOf(error)) > 15, `${decibels(energyOf(caller), energyOf(error))} dB`)
  const expected = residuals.slice((4 * rate) / windowSamples, (6 * rate) / windowSamples).reduce((sum, one) => sum + one, 0)
  assert.ok(energyOf(spoken) > 8 * expected)
})

test('relearns when the delay of the echo changes', () => {
  const sent = babble(10, 2)
  const [before, after] = [echoOf(sent, 60, -20), echoOf(sent, 81, -20)]
  const heard = before.map((sample, i) => (i < 4 * rate ? sample : after[i]!))
  const { clean } = run(new CancellingGuard(), heard, sent)
  const better = decibels(energyOf(heard, ...second(8, 10)), energyOf(clean, ...second(8, 10)))
  assert.ok(better > 12, `${better} dB`)
})

test('distinguishes an unlearned echo from a voice', () => {
  const random = randomOf(4)
  const noise = (): Float32Array => Float32Array.from({ length: rate }, () => 0.2 * (random() - 0.5))
  const sent = noise()
  const verdictOn = (heard: Float32Array): string => {
    const guard = new CancellingGuard()
    run(guard, new Float32Array(rate), sent)
    run(guard, heard, sent)
    return guard.verdict()
  }
  assert.notEqual(verdictOn(echoOf(sent, 100, -6)), 'voice')
  assert.equal(verdictOn(noise()), 'voice')
  assert.equal(new CancellingGuard().verdict(), 'voice')
})

test('passes sound unchanged once the last echo has ended', () => {
  const sent = new Float32Array(rate).fill(0.1)
  for (const guard of [new CancellingGuard(), new LevelGuard()]) {
    const caller = babble(2, 6)
    assert.equal(guard.sending, false)
    run(guard, new Float32Array(sent.length), sent)
    assert.equal(guard.sending, true)
    run(guard, new Float32Array(0.25 * rate), new Float32Array(0.25 * rate))
    assert.equal(guard.sending, true)
    run(guard, new Float32Array(0.1 * rate), new Float32Array(0.1 * rate))
    assert.deepEqual([guard.sending, guard.residual], [false, 0])
    const { clean } = run(guard, caller, new Float32Array(caller.length))
    const whole = caller.length - (caller.length % windowSamples)
    assert.deepEqual(clean.subarray(0, whole), caller.subarray(0, whole))
  }
})

test('interleaved calls do not affect each other', () => {
  const calls = [1, 2].map((seed) => {
    const sent = babble(2, seed)
    return { sent, heard: echoOf(sent, 40 * seed, -20), guard: new CancellingGuard() }
  })
  const alone = calls.map(({ heard, sent }) => run(new CancellingGuard(), heard, sent).clean)
  const together = calls.map(({ heard }) => new Float32Array(heard.length))
  for (let at = 0; at + windowSamples <= 2 * rate; at += windowSamples)
    calls.forEach(({ guard, heard, sent }, nth) => {
      const end = at + windowSamples
      guard.process(heard.subarray(at, end), sent.subarray(at, end), together[nth]!.subarray(at, end))
    })
  together.forEach((clean, nth) =>
    assert.ok(
      clean.every((sample, i) => sample === alone[nth]![i]),
      `call ${nth}`,
    ),
  )
})
