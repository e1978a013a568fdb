import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cluster, parts, type ClusterPhone, type Transport } from '#test/cluster/cluster.ts'
import type { ServiceProcess } from '#test/cluster/service-process.ts'
import { needs } from '#test/peers/debian.ts'
import type { PhoneCall } from '#test/phones/sip-phone.ts'

const transports: readonly Transport[] = ['udp', 'tcp', 'tls', 'ws']

/** Three phones of one conversation, each with a unique tone. */
interface ThreePhones {
  transport: Transport
  caller: ClusterPhone
  callee: ClusterPhone
  target: ClusterPhone
}

const tones = { caller: 500, callee: 900, target: 1300 } as const

const openTrio = async (cluster: Cluster, transport: Transport): Promise<ThreePhones> => {
  const [caller, callee, target] = [await cluster.phone(), await cluster.phone(transport), await cluster.phone()]
  const trio = { transport, caller, callee, target }
  for (const role of ['caller', 'callee', 'target'] as const) trio[role].phone.rtp.say(tones[role])
  return trio
}

interface Connected {
  near: PhoneCall
  far: PhoneCall
}

/** The caller uses only this process; the callee is registered at any. */
const connect = async ({ caller, callee }: ThreePhones, at: ServiceProcess): Promise<Connected> => {
  const near = caller.phone.call(callee.number, { uri: `sip:${callee.number}@${at.sip}` })
  const incoming = await callee.phone.incoming()
  await callee.phone.accept(incoming)
  await near.answered
  return { near, far: incoming.call }
}

const haveTwoWayAudio = async (one: ClusterPhone, other: ClusterPhone): Promise<void> => {
  await Promise.all([one.phone.rtp.hears(other.phone.rtp.tone ?? 0), other.phone.rtp.hears(one.phone.rtp.tone ?? 0)])
}

const holdAndTransfer = async (trio: ThreePhones, at: ServiceProcess): Promise<void> => {
  const { caller, callee, target } = trio
  const { near, far } = await connect(trio, at)
  await haveTwoWayAudio(caller, callee)
  const held = await far.session.offer(callee.phone.sdp('sendonly'))
  assert.match(held.sdp ?? '', /a=recvonly/)
  callee.phone.rtp.forget()
  assert.equal((await far.session.offer(callee.phone.sdp())).status, 200)
  await haveTwoWayAudio(caller, callee)
  const moved = far.session.refer(`sip:${target.number}@${callee.phone.domain}`)
  const incoming = await target.phone.incoming()
  await target.phone.accept(incoming)
  await moved
  await haveTwoWayAudio(caller, target)
  await near.session.end()
  await incoming.call.ended
}

const hangUpFromThere = async (trio: ThreePhones, at: ServiceProcess): Promise<void> => {
  const { near, far } = await connect(trio, at)
  await haveTwoWayAudio(trio.caller, trio.callee)
  await far.session.end()
  await near.ended
}

test('reaches phones of every kind from every process, also after the registering process is gone', async (t) => {
  if (!(await needs(t, ...parts))) return
  const cluster = await Cluster.start(t)
  const trios: ThreePhones[] = []
  for (const transport of transports) trios.push(await openTrio(cluster, transport))
  const everywhere = async (processes: readonly ServiceProcess[]): Promise<void> => {
    for (const process of processes) {
      for (const how of [holdAndTransfer, hangUpFromThere])
        await Promise.all(
          trios.map((trio) =>
            how(trio, process).catch((error: Error) =>
              Promise.reject(new Error(`${how.name} ${trio.transport} at ${process.name}: ${error.message}`, { cause: error })),
            ),
          ),
        )
    }
  }
  await everywhere(cluster.processes)
  await cluster.process('A').kill()
  await everywhere(cluster.processes.slice(1))
})
