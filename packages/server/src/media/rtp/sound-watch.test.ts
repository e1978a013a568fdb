import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SoundState } from '../engine.ts'
import { SoundWatch, type SoundCounts } from './quality.ts'

const openWatch = () => {
  const notified: SoundState[] = []
  const watch = new SoundWatch((state) => notified.push(state))
  const counts: SoundCounts = { heard: 0, unknownSources: 0, unreadable: 0 }
  watch.expect(true, 0, { ...counts })
  const look = (nowMs: number, more: Partial<SoundCounts> = {}, aliveMs = -Infinity): void =>
    watch.look(nowMs, Object.assign(counts, more), aliveMs)
  return { told: notified, watch, look, counts }
}

test('does not report a far end that is heard or pauses briefly', () => {
  const { told: notified, look } = openWatch()
  look(200)
  for (let ms = 400; ms < 5_000; ms += 200) look(ms, { heard: ms })
  look(14_700)
  assert.deepEqual(notified, [])
})

test('reports initial silence once, and its end', () => {
  const { told: notified, look } = openWatch()
  for (let ms = 0; ms < 6_000; ms += 200) look(ms)
  assert.deepEqual(notified, ['nothing'])
  for (let ms = 6_000; ms < 7_000; ms += 200) look(ms, { heard: ms })
  assert.deepEqual(notified, ['nothing', 'heard'])
})

test('reports the cause of silence once it is known', () => {
  const elsewhere = openWatch()
  elsewhere.look(3_000, { unknownSources: 150, unreadable: 150 })
  assert.deepEqual(elsewhere.told, ['unknown_source'])
  const otherwise = openWatch()
  otherwise.look(3_000, { unknownSources: 24, unreadable: 25 })
  assert.deepEqual(otherwise.told, ['unknown_format'])
  const later = openWatch()
  later.look(3_000)
  later.look(4_000, { unknownSources: 50 })
  assert.deepEqual(later.told, ['nothing', 'unknown_source'])
})

test('reports a stopped far end after ten seconds without sound and reports', () => {
  const { told: notified, look } = openWatch()
  look(1_000, { heard: 50 })
  look(10_900)
  look(11_000, {}, 9_000)
  assert.deepEqual(notified, [])
  look(19_000, {}, 9_000)
  assert.deepEqual(notified, ['stopped'])
})

test('expects no sound on hold, and restarts afterwards', () => {
  const { told: notified, watch, look, counts } = openWatch()
  look(1_000, { heard: 50 })
  watch.expect(false, 2_000, counts)
  look(60_000)
  watch.expect(true, 60_000, { ...counts })
  look(62_900)
  assert.deepEqual(notified, [])
  look(63_000)
  assert.deepEqual(notified, ['nothing'])
})

test('reports a far end that receives none of our packets in three reports', () => {
  const { told: notified, watch } = openWatch()
  for (const ofUs of [false, false, true, false, false]) watch.reported(ofUs)
  assert.deepEqual(notified, [])
  watch.reported(false)
  watch.reported(false)
  assert.deepEqual(notified, ['unheard'])
})
