import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cluster, parts, type Transport } from '#test/cluster/cluster.ts'
import { haveTwoWayAudio, talk, type Talk } from '#test/cluster/talks.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import type { SipPhone } from '#test/phones/sip-phone.ts'

/** For more: OFFHOOK_TEST_CALLS=25 OFFHOOK_TEST_KILLS=20 node test/run.ts test/cluster/kills.test.ts. All phones belong to one user, who has at most 50 lines. */
const calls = Number(process.env['OFFHOOK_TEST_CALLS'] ?? 4)
const kills = Number(process.env['OFFHOOK_TEST_KILLS'] ?? 3)

const transports: readonly Transport[] = ['udp', 'tcp', 'tls', 'ws']
const kindOf = (nth: number): Transport => transports[nth % transports.length] ?? 'udp'

const phonesOf = (talks: readonly Talk[]): SipPhone[] => talks.flatMap(({ caller, callee }) => [caller.phone, callee.phone])

/** Longest interval without a packet since the start, in milliseconds. */
const gapsSince = (startedAt: number, phones: readonly SipPhone[]): number[] =>
  phones.map(({ rtp }) => {
    const times = [startedAt, ...rtp.packets.map(({ atMs }) => atMs)]
    return Math.round(Math.max(...times.slice(1).map((at, index) => at - (times[index] ?? at))))
  })

test(`keeps ${calls} calls up while ${kills} processes are killed one after the other`, { timeout: 3_600_000 }, async (t) => {
  if (!(await needs(t, ...parts))) return
  const cluster = await Cluster.start(t, { withoutHttp: true })
  const { processes } = cluster
  const talks: Talk[] = []
  for (let nth = 0; nth < calls; nth++) {
    const at = processes[nth % processes.length] ?? assert.fail()
    talks.push(await talk(cluster, [kindOf(nth), kindOf(nth + 1)], at))
  }
  const silences: number[] = []
  for (let nth = 0; nth < kills; nth++) {
    const victim = processes[nth % processes.length] ?? assert.fail()
    const startedAt = performance.now()
    await victim.kill()
    await haveTwoWayAudio(talks)
    const gaps = gapsSince(startedAt, phonesOf(talks))
    silences.push(...gaps.filter((ms) => ms > 200))
    await victim.start()
    await cluster.settled()
  }
  const sorted = silences.toSorted((a, b) => a - b)
  t.diagnostic(JSON.stringify({ calls, kills, p50: sorted[Math.floor(sorted.length / 2)], most: sorted.at(-1) }))
  for (const { name, near, far } of talks) {
    await near.session.end()
    assert.equal((await far.ended).by, 'peer', name)
  }
  const { admin } = processes[0] ?? assert.fail()
  const entries = await until('in the history', async () => {
    const { items } = await admin.listHistory({ userId: 'w0' })
    return items.length >= Math.min(calls, 10) ? items : undefined
  })
  assert.equal(new Set(entries.map(({ callId }) => callId)).size, entries.length, 'one entry each')
  await until('no call is left', async () => (await admin.listCalls()).data.length === 0 || undefined)
})
