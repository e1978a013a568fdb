import assert from 'node:assert/strict'
import type { PhoneCall } from '../phones/sip-phone.ts'
import type { Cluster, ClusterPhone, Transport } from './cluster.ts'
import type { ServiceProcess } from './service-process.ts'

const tones = { caller: 500, callee: 900 } as const

/** Two connected phones behind the edge. */
export interface Talk {
  name: string
  caller: ClusterPhone
  callee: ClusterPhone
  near: PhoneCall
  far: PhoneCall
}

/** Call owned by this process. */
export const talk = async (cluster: Cluster, [one, other]: readonly [Transport, Transport], at: ServiceProcess): Promise<Talk> => {
  const [caller, callee] = [await cluster.phone(one), await cluster.phone(other)]
  caller.phone.rtp.say(tones.caller)
  callee.phone.rtp.say(tones.callee)
  const near = caller.phone.call(callee.number, { uri: `sip:${callee.number}@${at.sip}` })
  const incoming = await callee.phone.incoming()
  await callee.phone.accept(incoming)
  await near.answered
  const opened = { name: `${one}-${other}`, caller, callee, near, far: incoming.call }
  await haveTwoWayAudio([opened])
  return opened
}

/** From now on, regardless of earlier sound. */
export const haveTwoWayAudio = async (talks: readonly Talk[]): Promise<void> => {
  for (const { caller, callee } of talks) for (const { phone } of [caller, callee]) phone.rtp.forget()
  await Promise.all(
    talks.map(async ({ name, caller, callee }) => {
      const both = [caller.phone.rtp.hears(tones.callee), callee.phone.rtp.hears(tones.caller)]
      await Promise.all(both).catch((error: Error) => assert.fail(`${name}: ${error.message}`))
    }),
  )
}
