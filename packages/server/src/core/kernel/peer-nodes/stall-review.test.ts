import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { StallReview } from './stall-review.ts'

const scene = (review: () => Promise<void> = () => Promise.resolve()) => {
  const clock = new VirtualClock()
  const state = { late: false, reviews: 0, stall: (_ms: number): void => {} }
  const stallReview = new StallReview({
    clock,
    peerNodes: {
      late: () => state.late,
      onStall(stalled) {
        state.stall = stalled
        return () => {}
      },
    },
    review: () => {
      state.reviews++
      return review()
    },
  })
  stallReview.watch()
  return { clock, state, stallReview }
}

test('reviews once per stall, although the heartbeat is late until its timer runs', async () => {
  const { state, stallReview } = scene()
  state.late = true
  await stallReview.pending
  assert.equal(stallReview.pending, undefined)
  state.stall(700)
  state.late = false
  assert.equal(stallReview.pending, undefined)
  assert.equal(state.reviews, 1)
})

test('reviews the stall that the heartbeat notices first', async () => {
  const { state, stallReview } = scene()
  state.stall(700)
  assert.equal(state.reviews, 1)
  await stallReview.pending
  assert.equal(stallReview.pending, undefined)
})

test('reviews again after the next stall', async () => {
  const { clock, state, stallReview } = scene()
  state.late = true
  await stallReview.pending
  await clock.advance(401)
  await stallReview.pending
  assert.equal(state.reviews, 2)
})

test('shares one review while it runs', async () => {
  const reviewed = Promise.withResolvers<void>()
  const { clock, state, stallReview } = scene(() => reviewed.promise)
  state.late = true
  const pending = stallReview.pending
  await clock.advance(5_000)
  state.stall(5_000)
  assert.equal(stallReview.pending, pending)
  reviewed.resolve()
  await pending
  assert.equal(state.reviews, 1)
})
