import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { doubtMs, Ownership } from './ownership.ts'

const scene = (t: TestContext) => {
  const clock = new VirtualClock(0)
  const state = {
    alone: false,
    peersLackStore: false,
    store: 'answers' as 'answers' | 'away',
    leaseEndsAt: Infinity,
    proofs: 0,
    permitted: 0,
    said: [] as string[],
    /** Milliseconds of contact after the last heartbeat. */
    heardMs: 900,
    echoSentAt: -Infinity,
    heardUntil: -Infinity,
    contact: (): void => {},
  }
  const ownership = new Ownership({
    clock,
    contact: {
      get alone() {
        return state.alone
      },
      get echoSentAt() {
        return state.echoSentAt
      },
      get heardUntil() {
        return state.heardUntil
      },
      get peersLackStore() {
        return state.peersLackStore
      },
      onContact(contact) {
        state.contact = contact
        return () => {}
      },
    },
    leaseEndsAt: () => state.leaseEndsAt,
    permit: (ms) => (state.permitted = clock.elapsed() + ms),
    async prove() {
      state.proofs++
      assert.equal(ownership.doubtMs, doubtMs, 'the lease says that this node is in doubt')
      if (state.store === 'away') throw new Error('away')
      if (Number.isFinite(state.leaseEndsAt)) state.leaseEndsAt = clock.elapsed() + 12_000
    },
    onSilent: (why) => state.said.push(`silent ${why}`),
    onAudible: () => state.said.push('audible'),
  })
  const beat = (): void => {
    Object.assign(state, { echoSentAt: clock.elapsed(), heardUntil: clock.elapsed() + state.heardMs })
    state.contact()
  }
  t.after(async () => {
    await ownership.close()
    assert.equal(clock.pending(), 0)
  })
  const beatFor = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 250) {
      beat()
      await clock.advance(250)
    }
  }
  return { clock, state, ownership, beat, beatFor }
}

test('sends while the bus delivers its heartbeats, without a statement', async (t) => {
  const { state, ownership, beatFor } = scene(t)
  await beatFor(60_000)
  assert.equal(ownership.pending, undefined)
  assert.deepEqual([state.proofs, state.said, ownership.doubtMs], [0, [], 0])
})

test('sends nothing after a stall until a proof, although heartbeats pass again', async (t) => {
  const { clock, state, ownership, beat, beatFor } = scene(t)
  await beatFor(5_000)
  state.store = 'away'
  await clock.jump(1_000)
  beat()
  const { pending } = ownership
  assert.ok(pending)
  assert.ok(state.permitted <= clock.elapsed(), 'the media threads stopped by themselves')
  await beatFor(3_000)
  assert.ok(ownership.pending)
  state.store = 'answers'
  await beatFor(1_250)
  await pending
  assert.equal(ownership.pending, undefined)
  assert.deepEqual(state.said, ['silent contact', 'audible'])
})

test('proves its ownership once per second while the bus is away, and says so in the lease', async (t) => {
  const { clock, state, ownership, beatFor } = scene(t)
  await beatFor(5_000)
  await clock.advance(60_000)
  assert.equal(ownership.pending, undefined)
  assert.equal(ownership.doubtMs, doubtMs)
  assert.ok(state.proofs >= 58 && state.proofs <= 61, `${state.proofs}`)
  await beatFor(5_000)
  assert.equal(ownership.doubtMs, 0)
  assert.deepEqual(state.said, [])
})

test('stops without the bus and the database before peers may take its calls', async (t) => {
  const { clock, state, ownership, beatFor } = scene(t)
  await beatFor(5_000)
  state.store = 'away'
  await clock.advance(600)
  assert.equal(ownership.pending, undefined)
  await clock.advance(100)
  assert.ok(ownership.pending)
})

test('stops at the end of its lease if others can reach the database, and sends on if none can', async (t) => {
  for (const lacking of [false, true]) {
    const { clock, state, ownership, beatFor } = scene(t)
    state.leaseEndsAt = 12_000
    state.store = 'away'
    await beatFor(11_000)
    assert.equal(ownership.pending, undefined)
    state.peersLackStore = lacking
    await beatFor(60_000)
    assert.equal(ownership.pending === undefined, lacking)
    state.peersLackStore = false // the database answers a peer again
    await beatFor(250)
    assert.ok(ownership.pending)
    state.store = 'answers'
    await beatFor(1_500)
    assert.equal(ownership.pending, undefined)
    assert.ok(clock.elapsed() < 74_000)
  }
})

test('sends on without peers', async (t) => {
  const { clock, state, ownership } = scene(t)
  Object.assign(state, { alone: true, store: 'away', leaseEndsAt: 0 })
  await clock.advance(60_000)
  assert.equal(ownership.pending, undefined)
  assert.equal(ownership.doubtMs, 0)
})
