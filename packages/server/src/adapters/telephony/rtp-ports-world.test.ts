// test: real time
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePorts } from '#test/machine/free-ports.ts'
import { until } from '#test/machine/peer-process.ts'
import { readMetrics } from '#test/http/read-metrics.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { startWorld, type Person, type World } from '#test/world/world.ts'

const newPhone = async (t: { after(close: () => unknown): void }, { running }: World, { api, userId }: Person) => {
  const { id, credentials } = await api.createRegisterDevice({ userId }, { alias: 'Desk' })
  const { username: user, password } = credentials
  const phone = await SipPhone.open(t, { server: running.sip.replace('sip:', ''), user, password })
  assert.equal((await phone.register()).status, 200)
  return Object.assign(phone, { deviceId: id })
}

test('answers 503 with Retry-After while the ports are used up, and connects again as soon as the call ends', async (t) => {
  const first = await freePorts(t, 5)
  const range = `${first + (first % 2)}-${first + (first % 2) + 3}`
  const world = await startWorld(t, { settings: { OFFHOOK_RTP: range, OFFHOOK_METRICS_TOKEN: 'scrape-me' } })
  const ada = await world.newAccount()
  const [caller, called, other, another] = [
    await newPhone(t, world, ada),
    await newPhone(t, world, ada),
    await newPhone(t, world, ada),
    await newPhone(t, world, ada),
  ]
  const connect = async () => {
    const call = caller.call(called.deviceId)
    const incoming = await called.incoming()
    await called.accept(incoming)
    await call.answered
    return { call, incoming }
  }
  const figure = async (name: string): Promise<string | undefined> => {
    const text = await (await fetch(`${world.url}/metrics`, { headers: { authorization: 'Bearer scrape-me' } })).text()
    return new RegExp(`^offhook_${name} (\\d+)$`, 'm').exec(text)?.[1]
  }

  const running = await connect()
  assert.equal(await figure('rtp_ports_taken'), '2')
  const refused = await other.call(another.deviceId).ended
  assert.equal(refused.status, 503, 'whoever is called is there: it is us who have no room')
  assert.equal(refused.message?.header('retry-after'), '10')
  assert.match(refused.reason ?? '', /^Q\.850;cause=42;/)
  assert.equal(await figure('rtp_ports_exhausted_total'), '2', 'for both of its legs')

  const hangUp = async ({ call, incoming }: Awaited<ReturnType<typeof connect>>): Promise<void> => {
    await call.session.end()
    await incoming.call.ended
    await until('its ports are free', async () => (await figure('rtp_ports_taken')) === '0')
  }
  await hangUp(running)
  for (let again = 0; again < 3; again++) {
    const next = await connect()
    await Promise.all([caller.rtp.until(() => caller.rtp.packets.length > 3), called.rtp.until(() => called.rtp.packets.length > 3)])
    await hangUp(next)
  }
  assert.equal(await figure('rtp_ports_exhausted_total'), '2')
  assert.equal(await figure('rtp_ports_hurried_total'), '6')
})

test('answers a carrier’s call with 503 while only the last tenth of the ports is free, which is left for phones', async (t) => {
  const first = 2 * Math.ceil((await freePorts(t, 41)) / 2)
  const world = await startWorld(t, { settings: { OFFHOOK_RTP: `${first}-${first + 39}`, OFFHOOK_METRICS_TOKEN: 'scrape-me' } })
  const ada = await world.newAccount()
  const carrier = await SipPhone.open(t, { server: world.running.sip.replace('sip:', ''), address: '127.0.0.2' })
  const operator = await world.operator()
  const { id: trunk } = await operator.createTrunk({}, { name: 'Carrier', host: '127.0.0.2', sourceAddresses: ['127.0.0.2'] })
  const outcome = async () => (await carrier.call('+493023125099').ended).status
  await until('the trunk is known', async () => (await outcome()) === 404)
  const [caller, called] = [await newPhone(t, world, ada), await newPhone(t, world, ada)]
  const connect = async (): Promise<void> => {
    const call = caller.call(called.deviceId)
    await called.accept(await called.incoming())
    assert.equal((await call.answered).status, 200)
  }
  for (let calls = 0; calls < 9; calls++) await connect()
  assert.equal(await outcome(), 503)
  await connect()
  const metrics = await readMetrics(world.url, 'scrape-me')
  assert.equal(metrics.get('offhook_rtp_ports_free'), 0)
  assert.equal(metrics.get(`offhook_trunk_rejected_calls_total{trunk="${trunk}",name="Carrier"}`), 1)
  assert.equal(metrics.get('offhook_rtp_ports_exhausted_total'), 0)
})
