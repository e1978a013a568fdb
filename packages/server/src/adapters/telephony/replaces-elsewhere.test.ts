import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Session } from '@offhook/sip/session/session.ts'
import { until } from '#test/machine/peer-process.ts'
import { startCluster } from '#test/service/cluster.ts'

/** Replaces header for this phone's dialog, as the service sees it. */
const replacing = ({ callId, localTag, remoteTag }: Session): [string, string] => [
  'Replaces',
  `${callId};to-tag=${remoteTag};from-tag=${localTag}`,
]

test('redirects an INVITE with Replaces to the node that owns the call', async (t) => {
  const cluster = await startCluster(t, { processes: 2 })
  const [caller, callee, colleague] = [await cluster.phone(0), await cluster.phone(0), await cluster.phone(1)]
  const { callId, caller: calling, callee: called } = await cluster.connect(caller, callee)
  const headers = [replacing(called.session)]
  const { message, status } = await colleague.call(callee.deviceId, { headers }).ended
  assert.equal(status, 302)
  const owner = cluster.processes[0]?.running.sip.replace('sip:', '')
  assert.equal(message?.header('contact'), `<sip:${callee.deviceId}@${owner}>`)
  assert.equal(message?.header('x-offhook-owner'), undefined, 'only the edge is told')
  const taking = colleague.call('', { uri: `sip:${callee.deviceId}@${owner}`, headers })
  await taking.answered
  await called.ended
  assert.deepEqual(
    (await cluster.api(1).listCalls()).data.map((call) => [call.callId, call.participants.length]),
    [[callId, 2]],
  )
  const unknown = await colleague.call(callee.deviceId, { headers: [['Replaces', 'nobody;to-tag=a;from-tag=b']] }).ended
  assert.equal(unknown.status, 481)
  await taking.session.end()
  await calling.ended
})

test('joins two calls of a phone on different nodes: one call moves, and both parties talk', async (t) => {
  const cluster = await startCluster(t, { processes: 2 })
  const [first, second] = cluster.processes
  const [transferor, transferee, target] = [await cluster.phone(0), await cluster.phone(0), await cluster.phone(1)]
  const { callId, caller: held, callee: waiting } = await cluster.connect(transferor, transferee)
  const consulting = transferor.call('', { uri: `sip:${target.deviceId}@${second?.running.sip.replace('sip:', '')}` })
  const incoming = await target.incoming()
  await target.accept(incoming)
  await consulting.answered
  await Promise.all(cluster.processes.map(({ running }) => running.idle()))
  const { accountId, userId } = cluster.admin
  const seer = { kind: 'user', accountId, userId, admin: true, scopes: ['all'], tokenId: '' } as const
  const ids = async (at: number) => cluster.processes[at]?.running.deps.calls.here.list(seer).length
  assert.deepEqual([await ids(0), await ids(1)], [1, 1])
  for (const [phone, hz] of [
    [transferee, 700],
    [target, 1200],
  ] as const)
    phone.rtp.say(hz)
  const status = await held.session.refer(`sip:${target.deviceId}@offhook.example`, { replaces: consulting.session })
  assert.equal(status, 200)
  await Promise.all([transferee.rtp.hears(1200), target.rtp.hears(700)])
  assert.deepEqual([await ids(0), await ids(1)], [1, 0], 'the call of the consultation came over')
  assert.deepEqual(
    (await cluster.api(1).listCalls()).data.map((call) => call.callId),
    [callId],
  )
  await waiting.session.end()
  assert.equal((await incoming.call.ended).by, 'peer')
  await Promise.all(cluster.processes.map(({ running }) => running.idle()))
  const { store, presence } = first?.running.deps ?? assert.fail('no process')
  await until('no running call', async () => (await store.read.runningCalls.listOf(presence.id, 10)).length === 0)
  const { items } = await cluster.api(1).listHistory({ userId: cluster.admin.userId })
  assert.equal(items.length, 2, 'one entry for each call')
})
