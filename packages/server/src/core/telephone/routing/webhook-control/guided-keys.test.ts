import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Leg, LegObserver, Playback } from '#core/kernel/ports/telephony.ts'
import { Keys } from './guided-keys.ts'

const never = new Promise<void>(() => {})

/** All of a leg that keys come from. */
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

test('a sound whose end is reported late has nothing to do with the keys that are collected next', async () => {
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
