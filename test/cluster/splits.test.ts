import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import type { LinkState } from '#test/cluster/faulty-link.ts'
import { doubled, heardUntilNow, silences, startLinked, talkAt, type Talk } from '#test/service/processes.ts'

const short = process.env.OFFHOOK_TEST_CLUSTER === 'short'

interface Split {
  name: string
  store: LinkState['kind'] & ('refuse' | 'swallow' | 'through')
  bus: Split['store']
  /** The calls stay where they are. */
  stays?: boolean
}

const splits: readonly Split[] = [
  { name: 'from the database alone', store: 'swallow', bus: 'through' },
  { name: 'from the database alone, refused', store: 'refuse', bus: 'through' },
  { name: 'from the bus alone', store: 'through', bus: 'swallow', stays: true },
  { name: 'from the bus alone, refused', store: 'through', bus: 'refuse', stays: true },
  { name: 'from both', store: 'swallow', bus: 'swallow' },
]

for (const { name, store, bus, stays } of short ? splits.slice(0, 1) : splits)
  test(`has one sender of each call when a process is cut off ${name}`, { timeout: 300_000 }, async (t) => {
    if (!(await needs(t, 'nats-server'))) return
    const processes = await startLinked(t, 3)
    const { links, all } = processes
    const talks: Talk[] = []
    for (let nth = 0; nth < 2; nth++) talks.push(await talkAt(t, processes, 0))
    const before = heardUntilNow(talks)
    const phones = talks.flatMap(({ caller, callee }) => [caller, callee])
    await links.store.become({ kind: store })
    await links.bus.become({ kind: bus })
    if (stays === true) await until('half a minute', () => performance.now() - (talks.at(-1)?.startedAt ?? 0) > 25_000 || undefined)
    else
      await until(
        'others have them',
        () => phones.every(({ rtp }) => new Set(rtp.packets.map(({ from }) => from)).size > 1) || undefined,
        90_000,
      )
    await links.store.become({ kind: 'through' })
    await links.bus.become({ kind: 'through' })
    const gaps = await silences(talks, before)
    t.diagnostic(
      `silence ${gaps
        .map(Math.round)
        .toSorted((a, b) => a - b)
        .join(' ')} ms`,
    )
    assert.deepEqual(
      phones.map(doubled),
      phones.map(() => 0),
    )
    assert.ok(Math.max(...gaps) < (stays === true ? 2_000 : 30_000))
    assert.ok(all.length === 3)
    for (const { atCaller, atCallee } of talks) {
      await atCaller.session.end()
      assert.equal((await atCallee.ended).by, 'peer')
    }
  })
