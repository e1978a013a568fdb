import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Session } from '@offhook/sip/session/session.ts'
import { Cluster, parts, type ClusterPhone } from '#test/cluster/cluster.ts'
import { needs } from '#test/peers/debian.ts'
import type { PhoneCall } from '#test/phones/sip-phone.ts'

/** Replaces header for this phone's dialog as the service sees it. */
const replacing = ({ callId, localTag, remoteTag }: Session): [string, string] => [
  'Replaces',
  `${callId};to-tag=${remoteTag};from-tag=${localTag}`,
]

const haveTwoWayAudio = async (one: ClusterPhone, other: ClusterPhone): Promise<void> => {
  for (const { phone } of [one, other]) phone.rtp.forget()
  await Promise.all([one.phone.rtp.hears(other.phone.rtp.tone ?? 0), other.phone.rtp.hears(one.phone.rtp.tone ?? 0)])
}

/** Calls through the edge, which distributes calls round-robin over the processes. */
const connect = async (caller: ClusterPhone, callee: ClusterPhone): Promise<{ near: PhoneCall; far: PhoneCall }> => {
  const near = caller.phone.call(callee.number)
  const incoming = await callee.phone.incoming()
  await callee.phone.accept(incoming)
  await near.answered
  return { near, far: incoming.call }
}

test('replaces a phone behind the edge, for any owning process and any receiving process', async (t) => {
  if (!(await needs(t, ...parts))) return
  const cluster = await Cluster.start(t, { withoutHttp: true })
  const [caller, callee, colleague] = [await cluster.phone(), await cluster.phone('tcp'), await cluster.phone()]
  for (const [index, { phone }] of [caller, callee, colleague].entries()) phone.rtp.say(500 + index * 400)
  for (let round = 0; round < 6; round++) {
    const { near, far } = await connect(caller, callee)
    await haveTwoWayAudio(caller, callee)
    const taking = colleague.phone.call(callee.number, { headers: [replacing(far.session)] })
    const refused = taking.ended.then(({ status }) => assert.fail(`round ${round}: ${status}`))
    await Promise.race([taking.answered, refused])
    refused.catch(() => {})
    await far.ended
    await haveTwoWayAudio(caller, colleague)
    await near.session.end()
    await taking.ended
  }
})

test('joins two calls of a phone behind the edge that two processes own', async (t) => {
  if (!(await needs(t, ...parts))) return
  const cluster = await Cluster.start(t, { withoutHttp: true })
  const [transferor, transferee, target] = [await cluster.phone(), await cluster.phone('tcp'), await cluster.phone('ws')]
  for (const [index, { phone }] of [transferor, transferee, target].entries()) phone.rtp.say(500 + index * 400)
  for (let round = 0; round < 3; round++) {
    const first = await connect(transferor, transferee)
    await haveTwoWayAudio(transferor, transferee)
    assert.equal((await first.near.session.offer(transferor.phone.sdp('sendonly'))).status, 200)
    const second = await connect(transferor, target)
    await haveTwoWayAudio(transferor, target)
    const status = await first.near.session.refer(`sip:${target.number}@${transferor.phone.domain}`, { replaces: second.near.session })
    assert.equal(status, 200, `round ${round}`)
    await haveTwoWayAudio(transferee, target)
    await first.far.session.end()
    await second.far.ended
  }
  const calls = await Promise.all(cluster.processes.map(async ({ admin }) => (await admin.listCalls()).data.length))
  assert.deepEqual(calls, [0, 0, 0])
})
