import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RtpTimeline } from './rtp-timeline.ts'

const frame = 160
const delayFrames = 10

/** The samples of a frame all have its number. */
const say = (timeline: RtpTimeline, number: number, { ssrc = 1, base = 4_294_960_000 } = {}): void =>
  timeline.put((base + number * frame) >>> 0, ssrc, new Int16Array(frame).fill(number))

/** What is heard in one frame: its number, 0 for silence, undefined for a gap. */
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

test('everything is heard in order, a fifth of a second later', () => {
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

test('what comes in another order or in a bunch is heard at its time, and what is missing is a gap as long as it', () => {
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

test('a gap that does not end is silence', () => {
  const timeline = new RtpTimeline()
  say(timeline, 1)
  const heard = Array.from({ length: 100 }, () => hear(timeline)).flat()
  assert.deepEqual(heard.slice(delayFrames, delayFrames + 12), [1, ...Array.from({ length: 10 }, () => undefined), 0])
  assert.equal(heard.at(-1), 0)
})

test('one packet too late is left out', () => {
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

test('when everything is late, the far end has paused: nothing more is left out', () => {
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

test('another source begins anew, however it counts', () => {
  const timeline = new RtpTimeline()
  for (let number = 1; number <= 5; number++) say(timeline, number)
  say(timeline, 77, { ssrc: 2, base: 5 })
  const heard = Array.from({ length: 11 }, () => hear(timeline)).flat()
  assert.deepEqual(heard, [...Array.from({ length: delayFrames }, () => 0), 77])
})

test('timestamps from anywhere do not break it', () => {
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
