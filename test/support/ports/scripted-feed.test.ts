import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Outside } from '../chance/outside.ts'
import { ScriptedLeg } from './scripted-leg.ts'
import { VirtualClock } from '../clock/virtual-clock.ts'

const start = () => {
  const clock = new VirtualClock()
  const leg = new ScriptedLeg(clock, new Outside())
  const events: string[] = []
  const note = (event: string) => () => void events.push(event)
  return { clock, leg, events, note }
}

const sound = (ms: number, rate = 8000): Int16Array => new Int16Array((ms * rate) / 1000).fill(1)

test('plays a feed for the duration of its samples, and waits when there are none', async () => {
  const { clock, leg, events, note } = start()
  const feed = leg.feed(16_000)
  void feed.begun.then(note('begun'))
  void feed.done.then(note('done'))
  await clock.advance(100)
  assert.deepEqual(events, [])
  feed.write(sound(200, 16_000))
  await clock.advance(50)
  assert.deepEqual([events, feed.playedMs()], [['begun'], 50])
  await clock.advance(500)
  assert.equal(feed.playedMs(), 200)
  feed.write(sound(100, 16_000))
  feed.end()
  await clock.advance(99)
  assert.deepEqual([events, feed.playedMs()], [['begun'], 299])
  await clock.advance(1)
  assert.deepEqual(await feed.done, { completed: true, playedMs: 300 })
  assert.equal(leg.feeds[0]?.samples.length, 4800)
  assert.equal(clock.pending(), 0)
})

test('plays feeds and sounds one after the other, and stops one at any time', async () => {
  const { clock, leg, events, note } = start()
  const before = leg.play({ tone: 'beep' })
  const [first, second] = [leg.feed(8000), leg.feed(8000)]
  void first.begun.then(note('first'))
  void second.begun.then(note('second'))
  for (const feed of [first, second]) {
    feed.write(sound(1000))
    feed.end()
  }
  await clock.advance(1500)
  assert.deepEqual(events, [])
  before.stop()
  await clock.advance(400)
  assert.deepEqual(events, ['first'])
  first.stop()
  assert.deepEqual(await first.done, { completed: false, playedMs: 400 })
  await clock.advance(1000)
  assert.deepEqual([events, await second.done], [['first', 'second'], { completed: true, playedMs: 1000 }])
})

test('accepts ten seconds ahead and reports when there is room; an ended leg accepts nothing', async () => {
  const { clock, leg, events, note } = start()
  const feed = leg.feed(8000)
  assert.equal(feed.write(sound(15_000)), 80_000)
  void feed.hasCapacity(8000).then(note('room'))
  await clock.advance(990)
  assert.deepEqual(events, [])
  await clock.advance(10)
  assert.deepEqual(events, ['room'])
  leg.hangsUp()
  assert.deepEqual(await feed.done, { completed: false, playedMs: 1000 })
  await feed.hasCapacity(80_000)
  assert.equal(feed.write(sound(10)), 0)
  assert.equal((await leg.feed(8000).done).completed, false)
  assert.equal(clock.pending(), 0)
})

test('attaches listeners and a background sound to a leg', () => {
  const { leg } = start()
  const heard = leg.listen()
  leg.says(new Int16Array(320).fill(7))
  const [ring] = leg.listening
  const block = new Int16Array(320)
  ring?.read(block)
  assert.ok(ring?.available === 320 && block.every((sample, i) => sample === (i < 160 ? 7 : 0)))
  leg.background({ wav: Uint8Array.of(1) }, 0.5)
  assert.equal(leg.under?.volume, 0.5)
  leg.background(undefined, 0)
  assert.equal(leg.under, undefined)
  leg.hangsUp()
  assert.ok(ring?.ended)
  heard.close()
  assert.equal(leg.listening.size, 0)
})
