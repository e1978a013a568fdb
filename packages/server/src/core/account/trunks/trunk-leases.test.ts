import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { trunkSettings } from './trunk-settings.ts'
import type { PeerNode } from '#core/kernel/ports/platform.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { bothDatabases, openTestStore, type Database } from '#test/store/databases.ts'
import { TrunkLeases } from './trunk-leases.ts'

const settings = trunkSettings({ host: 'carrier.example', username: 'u', register: true }, { hasPassword: true })
const trunkOf = (id: string) => ({ id, name: id, settings, passwordSealed: 'x', active: true, createdAt: 0, updatedAt: 0 })

const open = async (t: TestContext, database: Database) => {
  const leases: TrunkLeases[] = []
  const errors: unknown[] = []
  const idle = async (): Promise<void> => void (await Promise.all(leases.map((one) => one.idle())))
  const clock = new VirtualClock(1_000_000, idle)
  t.after(async () => {
    for (const one of leases) await one.close()
    assert.equal(clock.pending(), 0)
    assert.deepEqual(errors, [])
  })
  const store = await openTestStore(t, database)
  for (const id of ['t1', 't2']) await store.write(({ trunks }) => trunks.insert(trunkOf(id)))
  const join = (self: string) => {
    let notifyGone: (peerNode: PeerNode) => void = () => {}
    let notifyStall: (ms: number) => void = () => {}
    const peerNodes = {
      self,
      onGone: (notifications: typeof notifyGone) => {
        notifyGone = notifications
        return () => {}
      },
      onStall: (notifications: typeof notifyStall) => {
        notifyStall = notifications
        return () => {}
      },
    }
    const lease = new TrunkLeases({ store, clock, peerNodes, onError: (error) => errors.push(error) })
    leases.push(lease)
    return {
      lease,
      holder: (id = 't1') => lease.of(id)?.owner,
      gone: (owner: string) => notifyGone({ owner } as PeerNode),
      stalled: () => notifyStall(4_000),
    }
  }
  return { store, clock, join }
}

for (const database of bothDatabases) {
  test(`${database}: takes the trunks of two nodes that are lost one shortly after the other`, async (t) => {
    const { join } = await open(t, database)
    const [a, b, c] = [join('a'), join('b'), join('c')]
    a.lease.want(['t1'])
    b.lease.want(['t2'])
    await Promise.all([a.lease.idle(), b.lease.idle()])
    c.lease.want(['t1', 't2'])
    await c.lease.idle()
    c.gone('a')
    await Promise.resolve() // the first poll has begun
    c.gone('b')
    c.gone('x')
    await c.lease.idle()
    assert.deepEqual([c.holder('t1'), c.holder('t2')], ['c', 'c'])
  })

  test(`${database}: holds a trunk in one node and shares its state with the others`, async (t) => {
    const { clock, join, store } = await open(t, database)
    const [a, b] = [join('a'), join('b')]
    a.lease.want(['t1', 't2'])
    await a.lease.idle()
    b.lease.want(['t1', 't2'])
    await b.lease.idle()
    assert.deepEqual([a.holder(), a.holder('t2'), b.holder(), a.lease.of('t1')?.us, b.lease.of('t1')?.us], ['a', 'a', 'a', true, false])
    const state = { registered: true, since: 5, problem: '403 No', serviceRoute: ['<sip:x;lr>'] }
    a.lease.note('t1', state)
    b.lease.note('t1', { ...state, problem: 'not the holder' })
    await clock.advance(60_000)
    assert.deepEqual([b.lease.of('t1'), a.holder()], [{ us: false, owner: 'a', state }, 'a'])
    a.lease.want([])
    await store.write(({ trunks }) => trunks.remove('t1'))
    b.lease.want(['t2'])
    await clock.advance(41_000)
    assert.deepEqual([b.holder('t1'), b.holder('t2')], [undefined, 'b'], 'who no longer wants it lets it run out')
  })

  test(`${database}: takes over immediately when the holder is gone or leaves`, async (t) => {
    const { clock, join } = await open(t, database)
    const [a, b, c] = [join('a'), join('b'), join('c')]
    for (const { lease } of [a, b, c]) {
      lease.want(['t1'])
      await lease.idle()
    }
    b.gone('a')
    await clock.advance(0)
    assert.deepEqual([b.holder(), a.holder()], ['b', 'a'])
    a.stalled()
    await clock.advance(0)
    assert.deepEqual([a.holder(), a.lease.of('t1')?.us], ['b', false], 'who stood still asks first')
    await b.lease.close()
    await c.lease.look()
    assert.equal(c.holder(), 'c')
  })

  test(`${database}: takes over from a silent holder when its lease expires`, async (t) => {
    const { clock, store, join } = await open(t, database)
    await store.write(({ trunkHolders }) =>
      trunkHolders.hold(['t1'], { owner: 'dead', until: clock.now() + 30_000, now: clock.now(), gone: [] }),
    )
    const a = join('a')
    a.lease.want(['t1'])
    await clock.advance(29_000)
    assert.equal(a.holder(), 'dead')
    await clock.advance(11_001)
    assert.equal(a.holder(), 'a')
  })
}
