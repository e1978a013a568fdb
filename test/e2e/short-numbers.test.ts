import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, type Client } from '@offhook/sdk'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { sippSucceeds, startSipp, type Sipp } from '#test/peers/sipp.ts'
import { until } from '#test/machine/peer-process.ts'
import type { Scope } from '#test/machine/temporary-folder.ts'

const [carrier, asking, national] = ['127.0.0.2', '127.0.0.3', '127.0.0.4']

/** Dialled number in a country, and the number to send to the network. */
const dialledIn: [country: string, dialled: string, number: string][] = [
  ['AR', '911', '911'],
  ['BR', '190', '190'],
  ['BR', '192', '192'],
  ['CN', '110', '110'],
  ['CN', '120', '120'],
  ['IN', '100', '100'],
  ['IN', '108', '108'],
  ['KR', '119', '119'],
  ['US', '911', '911'],
  ['US', '9911', '911'],
  ['ZA', '10111', '10111'],
  ['DE', '0112', '112'],
]

interface PhoneLogin {
  user: string
  password: string
}

/** New account without money, with one phone. */
const newAccount = async (
  exchange: Exchange,
  country: string,
  tariff: { tariffId?: string } = {},
): Promise<{ api: Client; accountId: string; login: PhoneLogin }> => {
  const password = 'correct horse battery staple'
  const email = `admin@${country.toLowerCase()}.example`
  const admin = { email, firstname: 'Ada', lastname: 'L', password }
  const { id: accountId, adminUserId: userId } = await exchange.operator.createAccount({}, { company: country, country, admin, ...tariff })
  const baseUrl = exchange.http
  const { access_token: token } = await createClient({ baseUrl }).logIn(
    {},
    { client_id: 'x', grant_type: 'password', username: email, password },
  )
  const api = createClient({ baseUrl, token })
  const { credentials } = await api.createRegisterDevice({ userId }, { alias: 'Phone' })
  return { api, accountId, login: { user: credentials.username, password: credentials.password } }
}

const call = (t: Scope, exchange: Exchange, login: PhoneLogin, service: string) =>
  sippSucceeds(t, {
    scenario: 'phone-call',
    target: exchange.sip,
    service,
    login,
    keys: { from: login.user, domain: exchange.sip },
    more: ['-d', '50', '-auth_uri', `${service}@${exchange.sip}`],
    limitMs: 20_000,
  })

/** INVITEs that a carrier received, oldest first, with their bodies. */
const invitesAt = async (network: Sipp): Promise<string[]> => (await network.messages()).match(/^INVITE [^]*?(?=^-{20,})/gm) ?? []

const header = (invite: string, name: string): string | undefined => new RegExp(`^${name}: *(.*)$`, 'im').exec(invite)?.[1]?.trim()

test('routes emergency calls', async (t) => {
  if (!(await needs(t, 'sipp'))) return
  const exchange = await startExchange(t)
  const network = await startSipp(t, { scenario: 'uas', address: carrier, traced: true })
  // It never registers, so it is marked as failed.
  const dead = { register: true, username: 'us', password: 'Sesam', maxCalls: 1, callsPerSecond: 1 }
  const trunkId = await exchange.newTrunk(carrier, { port: network.port, ...dead })
  await until('the trunk is marked', async () => (await exchange.operator.readTrunk({ trunkId })).state?.usable === false)

  const accounts = new Map<string, Awaited<ReturnType<typeof newAccount>>>()
  for (const country of new Set(dialledIn.map(([code]) => code))) accounts.set(country, await newAccount(exchange, country))

  for (const [country, dialled, number] of dialledIn)
    await t.test(`routes ${country} ${dialled} to a carrier that is marked as failed`, async (t) => {
      const { login } = accounts.get(country) ?? assert.fail()
      const before = (await invitesAt(network)).length
      await call(t, exchange, login, dialled)
      const [invite = '', ...others] = (await invitesAt(network)).slice(before)
      assert.equal(others.length, 0)
      assert.match(invite, new RegExp(`^INVITE sip:${number}@`))
    })
})

test("sends the caller's own number in emergency calls, and the location to a carrier that requires it", async (t) => {
  if (!(await needs(t, 'sipp'))) return
  const exchange = await startExchange(t)
  const network = await startSipp(t, { scenario: 'uas', address: asking, traced: true })
  await exchange.newTrunk(asking, { port: network.port, emergencyLocation: true })
  const [address] = (await exchange.admin.listAddresses()).items
  assert.ok(address)
  const [flow] = (await exchange.admin.listFlows()).items
  const login = await exchange.newDevice()
  const assistant = await exchange.newNumber(flow?.id)
  const { number } = await exchange.newLine(login.deviceId)
  await exchange.admin.changeDevice({ deviceId: login.deviceId }, { emergencyAddressId: Number(address.id) })

  await call(t, exchange, login, '112')
  const [invite = ''] = await invitesAt(network)
  assert.ok(!invite.includes(assistant))
  assert.ok(header(invite, 'From')?.includes(`sip:${number}@`), header(invite, 'From'))
  assert.ok(header(invite, 'P-Asserted-Identity')?.includes(`sip:${number}@`))
  assert.equal(header(invite, 'Priority'), 'emergency')
  assert.equal(header(invite, 'Geolocation'), `<cid:location@${asking}>`)
  assert.ok(invite.includes('m=audio '))
  assert.ok(invite.includes(`<ca:PC>${address.postalCode}</ca:PC>`), invite)
})

/** Short numbers of a country, and the rate that they need. */
const shortNumbers: [country: string, rate: string | undefined, numbers: string[]][] = [
  ['DE', undefined, ['116117', '116116', '116000']],
  ['DE', 'DE:1', ['115', '11833', '19222']],
  ['US', undefined, ['988']],
  ['US', 'US:411', ['411']],
  ['GB', 'GB:1', ['111', '101', '123']],
]

test('routes national short numbers', async (t) => {
  if (!(await needs(t, 'sipp'))) return
  const exchange = await startExchange(t)
  const { operator } = exchange
  const network = await startSipp(t, { scenario: 'uas', address: national, traced: true })
  await exchange.newTrunk(national, { port: network.port })
  const tariffId = 'short'
  await operator.createTariff({}, { id: tariffId, name: 'Short', currency: 'EUR' })
  const accounts = new Map<string, Awaited<ReturnType<typeof newAccount>>>()
  for (const country of ['DE', 'US', 'GB']) accounts.set(country, await newAccount(exchange, country, { tariffId }))

  for (const [country, rate, numbers] of shortNumbers)
    await t.test(`${country} ${numbers.join(', ')}: ${rate === undefined ? 'free' : `at the rate ${rate}`}`, async (t) => {
      const { login, accountId } = accounts.get(country) ?? assert.fail()
      if (rate !== undefined) {
        await operator.setRate({ tariffId }, { service: 'CALL', prefix: rate, ratePerMinute: 1_000 })
        await operator.topUpBalance({ accountId }, { amount: 1_000 * numbers.length, reason: 'test', idempotencyKey: rate })
      }
      for (const number of numbers) {
        await call(t, exchange, login, number)
        assert.match((await invitesAt(network)).at(-1) ?? '', new RegExp(`^INVITE sip:${number}@`))
      }
      await until('everything is paid', async () => (await operator.readBalance({ accountId })).amount === 0)
    })
})
