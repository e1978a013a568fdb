// test: real time
import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { openSipNode, type SipNode } from '#test/phones/sip-node.ts'
import { bothDatabases, startWorld, type Person, type World } from '#test/world/world.ts'
import { buildRequest } from '@offhook/sip/message/build.ts'
import { DigestClient } from '@offhook/sip/digest/digest-client.ts'
import { parseMessage } from '@offhook/sip/message/parse.ts'
import type { Response } from '@offhook/sip/message/message.ts'
import { Registration } from '@offhook/sip/user-agent/registration.ts'

/** A phone on the world's clock. */
const openPhone = ({ clock }: World): Promise<SipNode> =>
  openSipNode({ clock, onInvite: ({ session }) => session.reject(486), product: 'Desk Phone 7' })

const newDevice = async (person: Person) => {
  const { id, credentials } = await person.api.createRegisterDevice({ userId: person.userId }, { alias: 'Desk' })
  return { deviceId: id, ...credentials }
}

const until = async (what: () => Promise<boolean>): Promise<void> => {
  const end = performance.now() + 60_000
  while (!(await what())) {
    assert.ok(performance.now() < end, 'this never happened')
    await setImmediate()
  }
}

for (const database of bothDatabases) {
  for (const transport of ['udp', 'tcp'] as const) {
    test(`${database}: the API shows a phone registered over ${transport} as online, and as offline after it leaves`, async (t) => {
      const world = await startWorld(t, { database })
      const ada = await world.newAccount()
      const { deviceId, username, password, sipServer } = await newDevice(ada)
      const phone = await openPhone(world)
      const registration = new Registration({
        ua: phone.ua,
        clock: world.clock,
        random: () => 0,
        registrar: `sip:${sipServer};transport=${transport}`,
        address: `sip:${username}@${sipServer}`,
        contactUser: 'desk',
        digest: new DigestClient({ username, password }),
      })
      registration.register()
      const seen = async () => {
        const device = await ada.api.getDevice({ deviceId })
        assert.ok(device.type === 'REGISTER')
        return device
      }
      await until(async () => (await seen()).online)
      const { registered } = await seen()
      assert.deepEqual([registered.length, registered[0]?.userAgent, registered[0]?.ip], [1, 'Desk Phone 7', '127.0.0.1'])
      if (transport === 'udp') assert.equal(registered[0]?.port, phone.port)
      assert.equal(registration.state.state, 'registered')
      await registration.close()
      assert.equal((await seen()).online, false)
      await phone.close()
    })
  }
}

test('a browser registers over the WebSocket that the API names', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const { deviceId, username, password, sipServerWebsocketUrl } = await newDevice(ada)
  const socket = new WebSocket(sipServerWebsocketUrl, 'sip')
  t.after(() => socket.terminate())
  await new Promise((resolve) => socket.once('open', resolve))
  const digest = new DigestClient({ username, password })
  const register = (cseq: number): Promise<Response> => {
    const uri = 'sip:offhook'
    const headers = [
      ['Via', `SIP/2.0/WS x.invalid;branch=z9hG4bK${cseq}`],
      ['Max-Forwards', '70'],
      ['From', `<sip:${username}@offhook>;tag=1`],
      ['To', `<sip:${username}@offhook>`],
      ['Call-ID', 'browser'],
      ['CSeq', `${cseq} REGISTER`],
      ['Contact', '<sip:abc@x.invalid;transport=ws>;expires=600'],
      ...digest.authorization('REGISTER', uri),
    ] as const
    socket.send(buildRequest('REGISTER', uri, headers).toString())
    return new Promise((resolve) => socket.once('message', (data: Buffer) => resolve(parseMessage(data) as Response)))
  }
  const challenge = await register(1)
  assert.equal(challenge.status, 401)
  assert.ok(digest.challenged(challenge))
  assert.equal((await register(2)).status, 200)
  assert.equal((await ada.api.getDevice({ deviceId })).online, true)
})

test('the operator sees the state of a trunk', async (t) => {
  const world = await startWorld(t)
  const operator = await world.operator()
  const carrier = await openPhone(world)
  const input = { name: 'Carrier', host: '127.0.0.1', port: carrier.port, sourceAddresses: ['127.0.0.2'] }
  const { id: trunkId } = await operator.createTrunk({}, input)
  const state = async () => (await operator.readTrunk({ trunkId })).state
  await until(async () => (await state()) !== undefined)
  assert.deepEqual(await state(), { registered: false, usable: true, calls: 0, since: new Date(world.clock.now()).toISOString() })
  await operator.updateTrunk({ trunkId }, { ...input, active: false })
  await until(async () => (await state()) === undefined)
  assert.equal((await operator.listTrunks()).items[0]?.state, undefined)
  await carrier.close()
})

const hasIpv6 = Object.values(networkInterfaces()).some((found) => found?.some(({ address }) => address === '::1'))

test('puts brackets around an IPv6 address with a port', { skip: !hasIpv6 && 'no IPv6 here' }, async (t) => {
  const world = await startWorld(t, { settings: { OFFHOOK_SIP: '[::1]:0' } })
  const port = /^sip:\[::1\]:(\d+)$/.exec(world.running.sip)?.[1]
  assert.ok(port, world.running.sip)
  const { sipServer, outboundProxy } = await newDevice(await world.newAccount())
  assert.deepEqual([sipServer, outboundProxy], [`[::1]:${port}`, `[::1]:${port}`])
  const taken = startWorld(t, { settings: { OFFHOOK_SIP: `[::1]:${port}` } })
  await assert.rejects(taken, { message: new RegExp(`^\\[::1\\]:${port} is already in use.*OFFHOOK_SIP=\\[::1\\]:${Number(port) + 1} `) })
})
