import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Leg, LegObserver } from '#core/kernel/ports/telephony.ts'
import type { Playback } from '#core/kernel/ports/audio.ts'
import { Keys } from './guided-call.ts'

const never = new Promise<void>(() => {})

/** A leg reduced to its keys. */
const keypad = (clock: VirtualClock) => {
  let press: (digit: string) => void = () => assert.fail('nobody heeds the keys')
  const leg: Pick<Leg, 'observe'> = {
    observe: (observer: LegObserver) => {
      press = (digit) => observer.dtmf?.(digit)
      return () => {}
    },
  }
  return { keys: new Keys(clock, leg as Leg), press: (digit: string) => press(digit) }
}

test('ignores the late end of a sound for the keys collected next', async () => {
  const clock = new VirtualClock()
  const { keys, press } = keypad(clock)
  const { promise: done, resolve: end } = Promise.withResolvers<Awaited<Playback['done']>>()
  const first = keys.collect({ most: 1, timeoutMs: 60_000, playing: { done, stop: () => {} } }, never)
  press('1')
  assert.equal(await first, '1')
  const second = keys.collect({ most: 4, timeoutMs: 2_000, playing: undefined }, never)
  end({ completed: false, playedMs: 20 })
  await clock.advance(1_000)
  press('2')
  await clock.advance(2_000)
  assert.equal(await second, '2')
  assert.equal(clock.pending(), 0)
})
