import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cluster, parts } from '#test/cluster/cluster.ts'
import { beginBridge } from '#test/cluster/live-calls.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { openBrowser, withoutAddresses } from '#test/phones/browser-peer.ts'
import { SipPhone, type PhoneCall } from '#test/phones/sip-phone.ts'

const calls = 30
/** Calls while a process stands still; each third of their INVITEs reaches it. */
const stalled = 9

/** Final status of an unanswered call, and its time. */
const outcomeOf = async (call: PhoneCall): Promise<{ status: number | undefined; ms: number }> => {
  const at = performance.now()
  const { status } = await call.ended
  return { status, ms: Math.round(performance.now() - at) }
}

test('skips a dead process at the edge, and survives a restart of the edge', async (t) => {
  if (!(await needs(t, ...parts))) return
  const cluster = await Cluster.start(t)
  const [caller, udp, tcp] = [await cluster.phone(), await cluster.phone(), await cluster.phone('tcp')]

  await t.test('calls a browser behind HAProxy and the edge with WebRTC, and knows its own address', async (t) => {
    const { office, haproxy } = cluster
    const { deviceId, user, password } = await office.newDevice()
    const { number } = await office.newLine(deviceId)
    const server = `${haproxy?.http.replace('http', 'ws')}/sip`
    const page = await SipPhone.open(t, { transport: 'ws', server, domain: cluster.edge.sip, user, password })
    assert.equal((await page.register()).status, 200)
    const device = await office.admin.getDevice({ deviceId })
    assert.deepEqual(device.type === 'REGISTER' && device.registered.map(({ ip }) => ip), ['127.0.0.1'], 'not that of HAProxy')
    const audio = openBrowser(t, [{ payloadType: 8, encoding: 'PCMA/8000' }])
    caller.phone.rtp.say(500)
    const near = caller.phone.call(number)
    const { session, sdp } = await page.invites.next()
    assert.equal(sdp, undefined, 'the offer is left to the browser')
    session.observe({ acknowledged: (answer) => audio.connection.setRemoteDescription(answer, 'answer') })
    await session.accept({ sdp: withoutAddresses(await audio.describe('offer')) })
    await near.answered
    audio.talk(900)
    await Promise.all([audio.hears(500), caller.phone.rtp.hears(900)])
    await session.end()
    await near.ended
  })

  await t.test('routes calls to other processes before a dead one is detected', async (t) => {
    tcp.phone.refuseCalls(486)
    await cluster.process('C').kill()
    const outcomes = await Promise.all(Array.from({ length: calls }, () => outcomeOf(caller.phone.call(tcp.number))))
    t.diagnostic(`the slowest of ${calls} was refused after ${Math.max(...outcomes.map(({ ms }) => ms))} ms`)
    assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set([486]))
    await cluster.process('C').start()
    await cluster.settled()
    tcp.phone.refuseCalls(undefined)
  })

  await t.test('rings once, and writes one entry, when a process stands still while it is asked', async () => {
    const [slow, { admin, userId }] = [cluster.process('C'), cluster.office]
    const entries = async (): Promise<number> => (await admin.listHistory({ userId, limit: 100 })).totalCount ?? 0
    const before = await entries()
    slow.freeze()
    const near = Array.from({ length: stalled }, () => caller.phone.call(tcp.number))
    await Promise.all(near.map(() => tcp.phone.incoming()))
    slow.thaw()
    await cluster.settled()
    await Promise.all(near.map((call) => call.session.end()))
    await until('no call is left', async () => (await admin.listCalls()).data.length === 0 || undefined)
    const found = await until('the entries', async () => {
      const count = (await entries()) - before
      return count >= stalled ? count : undefined
    })
    assert.deepEqual([found, tcp.phone.invites.size], [stalled, 0])
  })

  await t.test('keeps calls up while the edge restarts, and rings phones of every kind afterwards', async (t) => {
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
