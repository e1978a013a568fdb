import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cluster, parts } from '#test/cluster/cluster.ts'
import { beginBridge } from '#test/cluster/live-calls.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import type { PhoneCall } from '#test/phones/sip-phone.ts'

const calls = 30

/** What a call that nobody takes ended with, and when. */
const outcomeOf = async (call: PhoneCall): Promise<{ status: number | undefined; ms: number }> => {
  const at = performance.now()
  const { status } = await call.ended
  return { status, ms: Math.round(performance.now() - at) }
}

test('the edge passes over a process that is gone, and may be gone itself for a while', async (t) => {
  if (!(await needs(t, ...parts))) return
  const cluster = await Cluster.start(t)
  const [caller, udp, tcp] = [await cluster.phone(), await cluster.phone(), await cluster.phone('tcp')]

  await t.test('calls that arrive before it is noticed that a process is dead are taken by others', async (t) => {
    tcp.phone.refuseCalls(486)
    await cluster.process('C').kill()
    const outcomes = await Promise.all(Array.from({ length: calls }, () => outcomeOf(caller.phone.call(tcp.number))))
    t.diagnostic(`the slowest of ${calls} was refused after ${Math.max(...outcomes.map(({ ms }) => ms))} ms`)
    assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set([486]))
    await cluster.process('C').start()
    await cluster.settled()
    tcp.phone.refuseCalls(undefined)
  })

  await t.test('while the edge is restarted people go on talking, and phones of every kind ring afterwards', async (t) => {
    const call = await beginBridge(caller, udp, [500, 900])
    for (const ear of call.ears) ear.forget()
    await cluster.edge.stop()
    await cluster.edge.start()
    await Promise.all(call.ears.map((ear) => ear.hearsNow()))
    t.diagnostic(`silence of ${call.ears.map(({ gapMs }) => Math.round(gapMs)).join(' and ')} ms`)
    assert.equal(call.isAlive, true)
    await cluster.settled()
    await call.hangUp(true)
    await until('the TCP phone is back', async () => (await tcp.phone.register()).status === 200 || undefined)
    const again = await beginBridge(caller, tcp, [500, 900])
    await again.hangUp(true)
  })
})
