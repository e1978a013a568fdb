import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Cluster, parts } from '#test/cluster/cluster.ts'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { SipPhone, type PhoneCall } from '#test/phones/sip-phone.ts'
import type { HeaderLines } from '@offhook/sip/message/build.ts'

const outside = '+4940123456'
const calls = 50

/** Final status of an unanswered call. */
const statusOf = async (call: PhoneCall): Promise<number | undefined> => (await call.ended).status

/** As the edge in the guide: both files come from the operator API. */
const fetchFiles = async ({ edge, office }: Cluster): Promise<void> => {
  await edge.notifyCarriers(await office.operator.listEdgeCarriers())
  const files = await office.operator.listEdgeProcesses()
  await edge.notifyProcesses([...files.matchAll(/^1 sip:(\S+) /gm)].map(([, address]) => address ?? ''))
}

test('routes carriers behind one edge', async (t) => {
  if (!(await needs(t, ...parts))) return
  const cluster = await Cluster.start(t)
  const { edge, office, processes } = cluster
  const carrierAt = (t: TestContext, address: string) => SipPhone.open(t, { server: edge.sip, address })
  const { phone, number, deviceId } = await cluster.phone('tcp')

  await t.test('gives phones the same server from all processes', async () => {
    const device = await office.newDevice()
    const notified = await Promise.all(processes.map(({ admin }) => admin.getDevice({ deviceId: device.deviceId })))
    const servers = notified.map((each) => (each.type === 'REGISTER' ? Object.values({ ...each.credentials, password: '' }).join() : ''))
    assert.equal(new Set(servers).size, 1)
    assert.ok(servers[0]?.includes(edge.sip) && servers[0].includes(edge.ws))
  })

  await t.test('identifies carriers, and challenges unknown sources whatever they claim', async (t) => {
    const [one, other, outsideNumber] = [
      await carrierAt(t, '127.0.0.71'),
      await carrierAt(t, '127.0.0.72'),
      await carrierAt(t, '127.0.0.73'),
    ]
    const trunkId = await office.newTrunk('127.0.0.71', { username: 'here', defaultNumber: number })
    await office.newTrunk('127.0.0.72', { username: 'there', defaultNumber: number })
    await fetchFiles(cluster)
    phone.refuseCalls(486)
    await until('the first process knows the trunks', async () => (await statusOf(one.call('here'))) === 486)
    const asked = { right: [] as unknown[], wrong: [] as unknown[] }
    for (let call = 0; call < calls; call++) {
      asked.right.push(await statusOf(one.call('here')), await statusOf(other.call('there')))
      asked.wrong.push(await statusOf(one.call('there')), await statusOf(other.call('here')))
    }
    assert.deepEqual(new Set(asked.right), new Set([486]), 'each means what its trunk means')
    assert.deepEqual(new Set(asked.wrong), new Set([404]), 'and not what the other does')
    const forged: HeaderLines = [
      ['X-Offhook-Trunk', trunkId],
      ['X-Offhook-Edge', 'udp:127.0.0.71:5060'],
    ]
    for (const headers of [[], forged]) {
      assert.equal(await statusOf(outsideNumber.call(number, { headers })), 401)
      for (const { sip } of processes)
        assert.equal(await statusOf(outsideNumber.call(number, { headers, uri: `sip:${number}@${sip}` })), 401)
    }
  })

  await t.test('calls a carrier through the edge, and receives its hang-up through it', async (t) => {
    const carrier = await carrierAt(t, '127.0.0.74')
    const port = Number(carrier.address.split(':')[1])
    await office.newTrunk('127.0.0.74', { port, outboundProxy: edge.sip, priority: 1 })
    await fetchFiles(cluster)
    await office.admin.setDeviceCallerId({ deviceId }, { value: number })
    phone.rtp.say(500)
    carrier.rtp.say(900)
    const dialled = await until('a process that knows the trunk takes it', async () => {
      const call = phone.call(outside)
      const taken = carrier.incoming()
      const first = await Promise.race([taken, call.ended])
      return 'invite' in first ? { call, incoming: first } : undefined
    })
    const { invite, call: far } = dialled.incoming
    assert.ok(invite.request.list('record-route').some((route) => route.includes(edge.sip)))
    assert.equal(invite.from.address, edge.host)
    await carrier.accept(dialled.incoming)
    await dialled.call.answered
    await Promise.all([phone.rtp.hears(900), carrier.rtp.hears(500)])
    await far.session.end()
    await dialled.call.ended
  })
})
