import assert from 'node:assert/strict'
import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { createClient } from '@offhook/sdk'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { freshPostgres } from '#test/store/databases.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import { offhook, ready } from '#test/machine/program.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

const hour = 3_600
const day = 24 * hour
const number = '+4921163550000'
const place = { street: 'Marktplatz', number: '2', postcode: '40213', city: 'Düsseldorf' }

const startSandbox = (t: TestContext, settings: Record<string, string> = {}): Promise<Exchange> =>
  startExchange(t, { OFFHOOK_SANDBOX: 'on', OFFHOOK_SPEECH: 'off', ...settings })

const forward = ({ operator }: Exchange, seconds: number) => operator.putSandboxTimeForward({}, { seconds })

const addressOf = async ({ admin }: Exchange): Promise<string> => (await admin.listAddresses()).items[0]?.id ?? ''

/** Mobile number that messages can come from. */
const addMobile = async (exchange: Exchange, lineId: string): Promise<string> => {
  const mobile = '+4915799900001'
  const input = { accountId: exchange.accountId, number: mobile, addressId: await addressOf(exchange) }
  const { id } = await exchange.operator.assignNumber({}, input)
  await exchange.admin.changeNumber({ numberId: id }, { endpointId: lineId })
  return mobile
}

/** The holder confirms through the button in the last mail. */
const consent = async ({ data }: Exchange): Promise<void> => {
  const folder = join(data, 'mail')
  const link = await until('the mail with the link', async () => {
    const last = (await readdir(folder).catch(() => []))
      .filter((name) => name.endsWith('.eml'))
      .toSorted()
      .at(-1)
    return last === undefined ? undefined : /http\S+\/carrier\/v1\/optin\/\S+/.exec(await readFile(join(folder, last), 'utf8'))?.[0]
  })
  const pressed = await fetch(link, { method: 'POST' })
  assert.equal(pressed.status, 200)
  await pressed.body?.cancel()
}

/** The same operator at another process on the same database. */
const operatorBeside = async (t: TestContext, { data }: Exchange, DATABASE_URL: string): Promise<Exchange['operator']> => {
  const folder = await temporaryFolder(t)
  await cp(join(data, 'secret.key'), join(folder, 'secret.key'))
  const settings = { OFFHOOK_SANDBOX: 'on', OFFHOOK_SPEECH: 'off', OFFHOOK_SIP: '127.0.0.1:0', OFFHOOK_LOG: 'error' }
  const { http } = await ready(offhook(t, ['serve'], { ...settings, DATABASE_URL, OFFHOOK_DATA: folder }))
  const { operator } = JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8')) as FirstRunNotes
  return createClient({ baseUrl: http, token: operator.token })
}

const introduce = async (west: Exchange, east: Exchange): Promise<void> => {
  const { secret = '' } = await west.operator.createCarrier({}, { code: 'EAST', name: 'East', url: east.http })
  await east.operator.createCarrier({}, { code: 'WEST', name: 'West', url: west.http, secret })
}

suite('days in seconds', { concurrency: true }, () => {
  test('delivers a message due in two days and a SIM card; keeps the time after a restart, and stays a sandbox', async (t) => {
    const data = await temporaryFolder(t)
    const exchange = await startSandbox(t, { OFFHOOK_DATA: data })
    const { admin, operator, userId } = exchange
    const { lineId, number: recipient } = await exchange.newLine()
    await addMobile(exchange, lineId)
    const [sms] = (await admin.listSms({ userId })).items
    const sendAt = Math.round(Date.parse((await operator.getSandboxTime()).now) / 1000) + 2 * day
    await admin.sendSms({}, { smsId: sms?.id ?? '', recipient, message: 'See you tomorrow', sendAt })
    const { id: deviceId } = await admin.createMobileDevice({ userId }, { alias: 'Pocket' })
    await operator.topUpBalance({ accountId: exchange.accountId }, { amount: 1_000_000, reason: 'test', idempotencyKey: 'sim' })
    await admin.orderSim({ userId, deviceId }, { addressId: await addressOf(exchange) })
    const incoming = async () => (await admin.listOwnHistory({ types: ['SMS'] })).items.filter(({ direction }) => direction === 'INCOMING')
    await forward(exchange, 2 * day - hour)
    assert.deepEqual(await incoming(), [], 'not yet')
    await forward(exchange, 2 * hour)
    const arrived = await until('the message', async () => (await incoming())[0])
    assert.equal(arrived.smsContent, 'See you tomorrow')
    await forward(exchange, 3 * day)
    assert.equal((await admin.listSimOrders({ userId, deviceId })).items[0]?.state, 'DELIVERED')

    exchange.program.child.kill('SIGINT')
    await exchange.program.ended
    const again = await startSandbox(t, { OFFHOOK_DATA: data })
    const { aheadSeconds } = await again.operator.getSandboxTime()
    assert.ok(aheadSeconds >= 5 * day && aheadSeconds < 5 * day + 2 * hour, String(aheadSeconds))
    assert.deepEqual((await again.admin.listOwnHistory({ types: ['SMS'] })).items.map(({ id }) => id).includes(arrived.id), true)
    again.program.child.kill('SIGINT')
    await again.program.ended
    const sober = offhook(t, ['serve'], { OFFHOOK_DATA: data })
    assert.equal(await sober.ended, 1)
    assert.match(await sober.stderr, /This database is a sandbox .* Set OFFHOOK_SANDBOX=on/)
  })

  test('ports a number from one installation to another', async (t) => {
    const settings = { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' }
    const west = await startSandbox(t, { ...settings, OFFHOOK_CARRIER_CODE: 'WEST' })
    const east = await startSandbox(t, { ...settings, OFFHOOK_CARRIER_CODE: 'EAST' })
    await introduce(west, east)
    const { accountId } = east
    const { id: addressId } = await east.operator.createAddress({}, { accountId, ...place, countrycode: 'DE' })
    const given = await east.operator.assignNumber({}, { accountId, number, addressId })
    await east.admin.changeNumber({ numberId: given.id }, { endpointId: 'p0' })
    const holder = { name: 'Demo', ...place, country: 'DE' }
    const input = { numbers: [number], holder, carrier: 'EAST', email: 'holder@example.com' }
    const { id } = await west.admin.startPorting({}, input)
    await consent(west)
    const porting = () => west.operator.readPorting({ portingId: String(id) })
    const agreed = await until('the agreement', async () => {
      const now = await porting()
      return now.status === 400 ? now : undefined
    })
    const days = Math.ceil((Date.parse(agreed.portDate) - Date.parse((await west.operator.getSandboxTime()).now)) / 1000 / day)
    assert.ok(days >= 5, `${days} days`)
    for (let one = 0; one <= days; one++) for (const side of [west, east]) await forward(side, day)
    await until('the number is there', async () => (await porting()).status === 500)
    const stateAt = async ({ admin }: Exchange) => (await admin.listNumbers()).items.find((each) => each.number === number)?.state
    assert.deepEqual([await stateAt(west), await stateAt(east)], ['ACTIVE', 'PORTED_OUT'])
  })

  test('keeps running calls up with their real duration and phones online when either process leaps in time', async (t) => {
    if (!(await needs(t, 'baresip'))) return
    const DATABASE_URL = await freshPostgres()
    const exchange = await startSandbox(t, { DATABASE_URL })
    const beside = await operatorBeside(t, exchange, DATABASE_URL)
    const { admin } = exchange
    const callee = await exchange.newPhone(t, { answer: 'auto', tone: 900 })
    const caller = await exchange.newPhone(t, {})
    const { number: line } = await exchange.newLine(callee.deviceId)
    await caller.dial(`sip:${line}@${exchange.sip}`)
    await caller.event('CALL_ESTABLISHED')
    for (const operator of [exchange.operator, beside]) await operator.putSandboxTimeForward({}, { seconds: day })
    await caller.hears(900, 3)
    assert.deepEqual(
      caller.events().filter(({ type }) => type === 'CALL_CLOSED'),
      [],
    )
    assert.equal((await admin.getDevice({ deviceId: callee.deviceId })).online, true)
    await caller.hangUp()
    const [entry] = await until('the call in the history', async () => {
      const { items } = await admin.listOwnHistory({ types: ['CALL'] })
      return items.length > 0 ? items : undefined
    })
    const { duration = 0 } = entry ?? {}
    assert.ok(duration >= 1 && duration < 60, `${duration} seconds`)
  })
})
