import assert from 'node:assert/strict'
import { test } from 'node:test'
import { windowSamples, type EchoGuard } from './echo-guard.ts'
import { SpeechRule } from './speech-rule.ts'

const loud = 0.1
const soft = 0.0005

const open = (guard: Partial<Pick<EchoGuard, 'sending' | 'residual' | 'verdict'>> = {}, isNoVoice = () => false) => {
  const notified: string[] = []
  const observer = {
    noticed: (at: number) => void notified.push(`noticed ${at}`),
    started: (at: number) => void notified.push(`started ${at}`),
    stopped: (at: number) => void notified.push(`stopped ${at}`),
  }
  const whole = { sending: false, residual: 0, verdict: () => 'voice' as const, ...guard }
  const rule = new SpeechRule({ guard: whole, isNoVoice, observer })
  /** One window of this strength per probability; returns the reported events. */
  const hear = (strength: number, ...probabilities: number[]): string[] => {
    for (const probability of probabilities) rule.judge(new Float32Array(windowSamples).fill(strength), probability)
    return notified.splice(0)
  }
  return { rule, hear, guard: whole, told: notified }
}

const silence = Array.from({ length: 10 }, () => 0)
const isSure = (notified: string): boolean => !notified.startsWith('noticed')
const place = (window: number): number => window * windowSamples

test('starts speech at one sure window, or at a second likely one', () => {
  for (const probabilities of [[0.95], [0.3, 0.6], [0.2, 0.7, 0.6]]) {
    const { hear } = open()
    assert.deepEqual(hear(soft, ...silence), [])
    assert.deepEqual(hear(loud, ...probabilities).filter(isSure), [`started ${place(10)}`])
  }
  const { hear } = open()
  assert.deepEqual(hear(loud, 0.8, 0.1, 0.5, 0.5, 0.2, 0.85, 0).filter(isSure), [])
})

test('notices one likely and loud window, until speech starts or becomes unlikely', () => {
  const { hear } = open()
  const notable = 0.011
  hear(soft, ...silence)
  assert.deepEqual(hear(notable, 0.29), [])
  assert.deepEqual(hear(notable, 0.3, 0.5), [`noticed ${place(11)}`])
  assert.deepEqual(hear(notable, 0.6), [`started ${place(10)}`])
  hear(soft, ...silence, ...silence)
  assert.deepEqual(hear(notable, 0.5, 0.2, 0.5), [`noticed ${place(34)}`, `noticed ${place(36)}`])
  assert.deepEqual(hear(soft, 0.2).concat(hear(0.009, 0.5)), [], 'too soft')
})

test('places the start where the sound becomes loud, even before the detector is sure', () => {
  const { rule, hear, told: notified } = open()
  hear(soft, ...silence)
  const rising = new Float32Array(windowSamples).fill(loud, 128)
  rule.judge(rising, 0.1)
  assert.deepEqual(hear(loud, 0.95), [`started ${place(10) + 128}`])
  assert.deepEqual(notified, [])
})

test('places the end where the voice ended, and reports it at the first windows of silence', () => {
  const { hear } = open()
  hear(soft, ...silence)
  hear(loud, 0.9, 0.9, 0.9)
  assert.deepEqual(hear(soft, 0.85), [])
  assert.deepEqual(hear(soft, 0.85), [`stopped ${place(13)}`], 'although the detector still hears it')
  assert.deepEqual(hear(loud, 0.5), [`started ${place(15)}`], 'the same person goes on')
  assert.deepEqual(hear(soft, 0.7), [`stopped ${place(16)}`])
  hear(loud, 0.95, 0.95)
  assert.deepEqual(hear(loud, 0.3), [`stopped ${place(20)}`], 'loud, but no voice any more')
})

test('requires a voice louder than the expected echo while sound is sent', () => {
  const energy = windowSamples * loud * loud
  const { hear, guard } = open({ sending: true, residual: energy / 6 })
  hear(soft, ...silence)
  assert.deepEqual(hear(loud, 0.99, 0.99, 0.99), [])
  guard.residual = energy / 20
  assert.deepEqual(hear(loud, 0.7), [`started ${place(10)}`])
  guard.residual = energy / 6
  assert.deepEqual(hear(loud, 0.7), [], 'going on takes less')
  guard.residual = energy / 2
  assert.deepEqual(hear(loud, 0.9, 0.9), [`stopped ${place(15)}`])
})

test('rejects an echo louder than expected, and other sounds similar to a voice', () => {
  for (const verdict of ['echo', 'perhaps'] as const) {
    const { hear, guard } = open({ sending: true, verdict: () => verdict })
    hear(soft, ...silence)
    assert.deepEqual(hear(loud, 0.99, 0.99), [])
    guard.verdict = () => 'voice'
    assert.equal(hear(loud, 0.99).length, 1)
  }
  const { hear } = open({}, () => true)
  assert.deepEqual(hear(loud, 0.99, 0.99), [])
})

test('reports the end of speech at the end of the call', () => {
  const { rule, hear, told: notified } = open()
  hear(soft, ...silence)
  hear(loud, 0.99)
  rule.end()
  rule.end()
  assert.deepEqual(notified, [`stopped ${place(11)}`])
})
