import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cluster, parts, type ClusterPhone } from '#test/cluster/cluster.ts'
import { beginBridge } from '#test/cluster/live-calls.ts'
import { needs } from '#test/peers/debian.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'

const skip = process.env.OFFHOOK_TEST_CLUSTER === 'short' && 'part of the full form'
/** No process is there. */
const nobody = '127.0.0.99:5060'
/** From the edge when no process answers. */
const unanswered = [408, 503]

interface Sent {
  callId: string
  cseq: number
  expires?: string
}

/** REGISTER of the same phone, as in a refresh. */
const register = async ({ phone }: { phone: SipPhone }, { callId, cseq, expires = '120' }: Sent): Promise<[number, string]> => {
  const address = `<sip:${phone.user}@${phone.domain}>`
  const headers = [['Expires', expires]] as const
  const reply = await phone.request('REGISTER', `sip:${phone.domain}`, { from: address, to: address, headers, callId, cseq })
  return [reply.status, /expires=(\d+)/.exec(reply.header('contact') ?? '')?.[1] ?? '']
}

test('answers refreshes at the edge, and nothing else', { skip }, async (t) => {
  if (!(await needs(t, ...parts))) return
  const cluster = await Cluster.start(t, { processes: 2, withoutHttp: true, leaseSeconds: 600 })
  const [udp, tcp] = [await cluster.phone('udp'), await cluster.phone('tcp')]
  const logins: [ClusterPhone, string][] = [
    [udp, 'udp-phone'],
    [tcp, 'tcp-phone'],
  ]
  for (const [phone, callId] of logins) assert.deepEqual(await register(phone, { callId, cseq: 10 }), [200, '120'])

  // Without a process only the edge can answer.
  await cluster.edge.notifyProcesses([nobody])
  for (const [phone, callId] of logins) assert.deepEqual(await register(phone, { callId, cseq: 20 }), [200, '120'])
  const thief = await SipPhone.open(t, { server: cluster.edge.sip, user: udp.phone.user, password: 'unknown' })
  const others = await Promise.all([
    register(udp, { callId: 'another', cseq: 1 }),
    register({ phone: thief }, { callId: 'udp-phone', cseq: 30 }),
    register(tcp, { callId: 'tcp-phone', cseq: 30, expires: '0' }),
  ])
  for (const [status] of others) assert.ok(unanswered.includes(status), `${status}`)
  const [afterTheEnd] = await register(tcp, { callId: 'tcp-phone', cseq: 40 })
  assert.ok(unanswered.includes(afterTheEnd), `${afterTheEnd}`)

  await cluster.edge.notifyProcesses(cluster.processes.map(({ sip }) => sip))
  await cluster.settled()
  const call = await beginBridge(tcp, udp, [500, 900])
  await call.hangUp(true)
})
