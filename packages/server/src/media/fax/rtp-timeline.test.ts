import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RtpTimeline } from './fax-rtp.ts'

const frame = 160
const delayFrames = 10

/** All samples of a frame have its number. */
const say = (timeline: RtpTimeline, number: number, { ssrc = 1, base = 4_294_960_000 } = {}): void =>
  timeline.put((base + number * frame) >>> 0, ssrc, new Int16Array(frame).fill(number))

/** Content of one frame: its number, 0 for silence, undefined for a gap. */
const hear = (timeline: RtpTimeline): (number | undefined)[] => {
  const heard = new Set<number | undefined>()
  timeline.take(frame, {
    hear: (samples) => {
      for (const sample of samples) heard.add(sample)
    },
    hearNothing: () => void heard.add(undefined),
  })
  return [...heard]
}

test('plays everything in order, 200 ms later', () => {
  const timeline = new RtpTimeline()
  const heard: (number | undefined)[] = []
  for (let number = 1; number <= 100; number++) {
    say(timeline, number)
    heard.push(...hear(timeline))
  }
  assert.deepEqual(
    heard.slice(0, delayFrames),
    Array.from({ length: delayFrames }, () => 0),
  )
  assert.deepEqual(
    heard.slice(delayFrames),
    Array.from({ length: 100 - delayFrames }, (_, index) => index + 1),
  )
})

test('plays reordered and bunched packets on time, and a gap for each missing one', () => {
  const timeline = new RtpTimeline()
  const heard: (number | undefined)[] = []
  const arrivals = new Map([
    [1, [1]],
    [2, [3]],
    [3, [2]],
    [8, [4, 5, 6, 8]],
    [9, [9]],
    [10, [10]],
  ])
  for (let turn = 1; turn <= 20; turn++) {
    for (const number of arrivals.get(turn) ?? []) say(timeline, number)
    heard.push(...hear(timeline))
  }
  assert.deepEqual(heard.slice(delayFrames), [1, 2, 3, 4, 5, 6, undefined, 8, 9, 10])
})

test('turns an endless gap into silence', () => {
  const timeline = new RtpTimeline()
  say(timeline, 1)
  const heard = Array.from({ length: 100 }, () => hear(timeline)).flat()
  assert.deepEqual(heard.slice(delayFrames, delayFrames + 12), [1, ...Array.from({ length: 10 }, () => undefined), 0])
  assert.equal(heard.at(-1), 0)
})

test('drops a single late packet', () => {
  const timeline = new RtpTimeline()
  const heard: (number | undefined)[] = []
  for (let number = 1; number <= 60; number++) {
    if (number !== 20) say(timeline, number)
    if (number === 35) say(timeline, 20)
    heard.push(...hear(timeline))
  }
  const expected = Array.from({ length: 50 }, (_, index) => (index === 19 ? undefined : index + 1))
  assert.deepEqual(heard.slice(delayFrames), expected)
})

test('re-anchors when all packets are late, and drops no more', () => {
  const timeline = new RtpTimeline()
  const heard: (number | undefined)[] = []
  for (let turn = 1; turn <= 100; turn++) {
    if (turn <= 20) say(timeline, turn)
    if (turn > 50) say(timeline, turn - 30)
    heard.push(...hear(timeline))
  }
  const numbers = heard.filter((number) => number)
  assert.deepEqual(
    numbers,
    Array.from({ length: 60 }, (_, index) => index + 1),
  )
})

test('restarts at another source with any timestamps', () => {
  const timeline = new RtpTimeline()
  for (let number = 1; number <= 5; number++) say(timeline, number)
  say(timeline, 77, { ssrc: 2, base: 5 })
  const heard = Array.from({ length: 11 }, () => hear(timeline)).flat()
  assert.deepEqual(heard, [...Array.from({ length: delayFrames }, () => 0), 77])
})

test('tolerates arbitrary timestamps', () => {
  const timeline = new RtpTimeline()
  for (let i = 0; i < 2000; i++) {
    timeline.put((i * 2_654_435_761) >>> 0, 1, new Int16Array(1 + (i % 480)))
    hear(timeline)
  }
  say(timeline, 1, { ssrc: 9 })
  assert.deepEqual(
    Array.from({ length: 11 }, () => hear(timeline))
      .flat()
      .at(-1),
    1,
  )
})
