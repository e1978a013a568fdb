import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cluster, parts, type Transport } from '#test/cluster/cluster.ts'
import type { ServiceProcess } from '#test/cluster/service-process.ts'
import { haveTwoWayAudio, talk, type Talk } from '#test/cluster/talks.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'

/** Their connections end at the edge, so all of them survive the death of a process. */
const pairs: readonly [Transport, Transport][] = [
  ['udp', 'tcp'],
  ['tls', 'ws'],
  ['ws', 'udp'],
  ['tcp', 'tls'],
]

const stillThere = (talks: readonly Talk[]): void => {
  for (const { name, near, far } of talks) assert.deepEqual([near.session.state, far.session.state], ['confirmed', 'confirmed'], name)
}

/** Later requests of phones reach the new owner. */
const goOnAndEnd = async (talks: readonly Talk[]): Promise<void> => {
  for (const { name, callee, near, far } of talks) {
    assert.match((await far.session.offer(callee.phone.sdp('sendonly'))).sdp ?? '', /a=recvonly/, name)
    assert.equal((await far.session.offer(callee.phone.sdp())).status, 200, name)
    await near.session.end()
    assert.equal((await far.ended).by, 'peer', name)
  }
}

const callsOf = async (process: ServiceProcess): Promise<number> => (await process.admin.listCalls()).data.length

test('keeps calls of phones of every kind up when a process behind the edge is killed, and ends them as usual', async (t) => {
  if (!(await needs(t, ...parts))) return
  const cluster = await Cluster.start(t, { withoutHttp: true })
  const talks: Talk[] = []
  for (const pair of pairs) talks.push(await talk(cluster, pair, cluster.process('A')))
  await cluster.process('A').kill()
  await haveTwoWayAudio(talks)
  stillThere(talks)
  // Repeats it with the process that took them over.
  const [, second, third] = cluster.processes
  await second?.kill()
  await haveTwoWayAudio(talks)
  await goOnAndEnd(talks)
  await until('no call is left', async () => third && (await callsOf(third)) === 0)
})

test('keeps calls up without interruption when a frozen process behind the edge wakes', async (t) => {
  if (!(await needs(t, ...parts))) return
  const cluster = await Cluster.start(t, { withoutHttp: true })
  const owner = cluster.process('A')
  const talks: Talk[] = []
  for (const pair of pairs) talks.push(await talk(cluster, pair, owner))
  owner.freeze()
  await haveTwoWayAudio(talks)
  owner.thaw()
  const sources = talks.flatMap(({ caller, callee }) => [caller.phone.rtp, callee.phone.rtp])
  for (const rtp of sources) rtp.forget()
  await until('it has dropped them', async () => (await owner.operator.listNodes()).items.every(({ calls }) => calls < pairs.length))
  await haveTwoWayAudio(talks)
  stillThere(talks)
  for (const { packets } of sources) assert.equal(new Set(packets.map(({ ssrc }) => ssrc)).size, 1, 'no second stream')
  await goOnAndEnd(talks)
})
