import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Session } from '@offhook/sip/session/session.ts'
import { startCluster } from '#test/service/cluster.ts'

/** Names this phone's dialog as the service sees it. */
const replacing = ({ callId, localTag, remoteTag }: Session): [string, string] => [
  'Replaces',
  `${callId};to-tag=${remoteTag};from-tag=${localTag}`,
]

test('a phone that takes the place of another one is sent to the process that has the call', async (t) => {
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
