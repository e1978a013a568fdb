import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test, type TestContext } from 'node:test'
import {
  createContactsModule,
  createDevicesModule,
  createHistoryModule,
  createNumbersModule,
  createSettingsModule,
  createVoicemailsModule,
  sipgateIO,
} from 'sipgateio'
import { hashSecret } from '#core/account/identity/tokens/tokens.ts'
import { addSmsRoute } from '#test/sms/scripted-sms-route.ts'
import { silentWav } from '#test/sound/wav.ts'
import { anEntry } from '#test/store/an-entry.ts'
import { startWorld, type Person, type World } from '#test/world/world.ts'

const require = createRequire(import.meta.url)

type Method = (...values: unknown[]) => Promise<never>

interface FirstClient {
  createHttp: (url: string, token: string, onReply: (reply: Response) => Response) => object
  createClient: (http: object) => Record<string, Method>
}

/** Client of the first version, from npm. It does not fail for statuses, so they are kept. */
const firstClient = (world: World, { token }: Person) => {
  const { createHttp, createClient } = require('sipgate-rest-api-client') as FirstClient
  const statuses: number[] = []
  const http = createHttp(`${world.url}/v1`, token, (reply) => {
    statuses.push(reply.status)
    return reply
  })
  return { client: createClient(http), statuses }
}

interface Axios {
  defaults: { adapter: (config: object) => Promise<unknown> }
}

/** Client of the second version, from npm; its address is fixed, so that requests are led here. */
const secondClient = (t: TestContext, world: World, { token }: Person) => {
  const axios = createRequire(require.resolve('sipgateio'))('axios') as Axios
  const { adapter } = axios.defaults
  t.after(() => (axios.defaults.adapter = adapter))
  axios.defaults.adapter = (config) => adapter({ ...config, baseURL: `${world.url}/v2` })
  return sipgateIO({ token })
}

const minute = 60_000

test('accepts the bodies and addresses of the client of the first version', async (t) => {
  const world = await startWorld(t)
  addSmsRoute(world)
  const ada = await world.newAccount()
  await world.write((tables) => tables.accounts.bookFeature(ada.accountId, 'SVCIO', world.clock.now()))
  const { client, statuses } = firstClient(world, ada)

  await client.createPhoneline!('w0')
  const withoutBody = await fetch(`${world.url}/v1/w0/phonelines`, { method: 'POST', headers: { authorization: `Bearer ${ada.token}` } })
  assert.equal(withoutBody.status, 201)
  await client.createDevice!('w0', 'REGISTER')
  assert.deepEqual(
    await Promise.all([ada.api.listPhonelines({ userId: 'w0' }), ada.api.listUserDevices({ userId: 'w0' })]).then((all) =>
      all.map(({ items }) => items.length),
    ),
    [3, 1],
  )

  await client.createGreeting!('w0', 'p0', 'v0', 'hello.wav', silentWav({ seconds: 1 }).toString('base64'))
  const greetings = await ada.api.listPhonelineGreetings({ userId: 'w0', phonelineId: 'p0', voicemailId: 'v0' })
  assert.deepEqual(
    greetings.items.map(({ alias }) => alias),
    ['hello.wav'],
  )

  const line = { userId: 'w0', smsId: 's0' }
  const sender = await ada.api.createSmsCallerId(line, { phonenumber: '+4915112345678' })
  await world.write(async ({ smsLines }) =>
    smsLines.awaitCode(ada.accountId, 's0', sender.phonenumber, { hash: hashSecret('123456'), expiresAt: world.clock.now() + minute }),
  )
  await client.verifySmsCallerId!('w0', 's0', sender.id, '123456')
  await client.setActiveSmsCallerId!('w0', 's0', sender.id, 'true')
  assert.deepEqual((await ada.api.listSmsCallerIds(line)).items, [{ ...sender, verified: true, defaultNumber: true }])

  await client.setSipgateIo!('w0', 'p0', { incomingUrl: 'https://example.com/in', outgoingUrl: '' })
  assert.equal(((await client.getSipgateIo!('w0', 'p0')) as { incomingUrl: string }).incomingUrl, 'https://example.com/in')
  await client.getSipgateIoLog!('w0', 'p0')
  assert.deepEqual(
    statuses.filter((status) => status >= 300),
    [],
  )
})

test('translates the notification addresses of the first version', async (t) => {
  const world = await startWorld(t)
  addSmsRoute(world)
  const ada = await world.newAccount()
  const { client, statuses } = firstClient(world, ada)
  const [email, number] = ['a@example.com', '+4915112345678']
  await client.createVoicemailEmailNotification!('w0', 'v0', email)
  await client.createVoicemailSmsNotification!('w0', 'v0', number)
  await client.createFaxEmailNotification!('w0', 'f0', email, 'INCOMING')
  await client.createFaxSmsNotification!('w0', 'f0', number, 'ALL')
  await client.createFaxReportNotification!('w0', 'f0', email)
  await client.createCallEmailNotification!('w0', 'p0', email, 'INCOMING', 'MISSED')
  await client.createCallSmsNotification!('w0', 'p0', number, 'OUTGOING', 'ALL')
  await client.createSmsEmailNotification!('w0', 's0', email)
  assert.deepEqual(
    statuses,
    statuses.map(() => 201),
  )
  const { items } = await ada.api.listNotifications({ userId: 'w0' })
  assert.deepEqual(
    items.map(({ type, via, direction, endpointId, recipient }) => [type, via, direction, endpointId, recipient]),
    [
      ['VOICEMAIL', 'EMAIL', 'INCOMING', 'v0', email],
      ['VOICEMAIL', 'SMS', 'INCOMING', 'v0', number],
      ['FAX', 'EMAIL', 'INCOMING', 'f0', email],
      ['FAX', 'SMS', 'ALL', 'f0', number],
      ['FAX', 'EMAIL', 'OUTGOING', 'f0', email],
      ['CALL', 'EMAIL', 'MISSED_INCOMING', 'p0', email],
      ['CALL', 'SMS', 'OUTGOING', 'p0', number],
      ['SMS', 'EMAIL', 'INCOMING', 's0', email],
    ],
  )
  for (const { id } of items) await client.deleteNotification!('w0', id)
  assert.deepEqual(await ada.api.listNotifications({ userId: 'w0' }), { items: [] })

  const post = async (path: string, body: object): Promise<[number, string]> => {
    const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' }
    const reply = await fetch(`${world.url}/v1/w0/notifications/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return [reply.status, ((await reply.json()) as { code: string }).code]
  }
  assert.deepEqual(await post('call/report', { endpointId: 'p0', email }), [404, 'not_found'])
  assert.deepEqual(await post('letter/email', { endpointId: 'p0', email }), [404, 'not_found'])
  assert.deepEqual(await post('call/email', { email }), [400, 'parameter_invalid'])
  assert.deepEqual(await post('call/email', { endpointId: 'p0', number }), [400, 'parameter_invalid'])
})

test('serves the client of the second version: history, its export, voicemails, numbers, devices and settings', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  await world.write(async (tables) => {
    await tables.accounts.bookFeature(ada.accountId, 'SVCIO', world.clock.now())
    for (const id of ['e1', 'e2', 'e3']) await tables.history.insert(ada.accountId, anEntry(id, { targetAlias: `Desk ${id}` }))
  })
  const client = secondClient(t, world, ada)
  assert.equal(await client.getAuthenticatedWebuserId(), 'w0')
  assert.deepEqual(
    (await client.getWebUsers()).map(({ id }) => id),
    ['w0'],
  )

  const history = createHistoryModule(client)
  assert.equal((await history.fetchAll({}, { limit: 2, offset: 1 })).length, 2)
  const rows = async (...options: Parameters<typeof history.exportAsCsvString>) =>
    (await history.exportAsCsvString(...options)).trim().split('\r\n').slice(1)
  assert.equal((await rows()).length, 3)
  const page = await rows({}, { limit: 1, offset: 1 })
  assert.equal(page.length, 1)
  assert.match(page[0] ?? '', /Desk e2/)
  assert.equal((await rows({ directions: [] })).length, 3)

  const [voicemail, ...more] = await createVoicemailsModule(client).getVoicemails()
  assert.deepEqual([voicemail?.id, voicemail?.belongsToEndpoint, more.length], ['v0', { extension: 'p0', type: 'PHONELINE' }, 0])
  assert.deepEqual(await createNumbersModule(client).getAllNumbers(), { items: [] })
  assert.deepEqual(await createDevicesModule(client).getDevices('w0'), [])
  const settings = createSettingsModule(client)
  await settings.setIncomingUrl('https://example.com/in')
  assert.equal((await settings.getWebhookSettings()).incomingUrl, 'https://example.com/in')
})

test('serves contacts to the client of the second version, with offset and limit', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const contacts = createContactsModule(secondClient(t, world, ada))
  const phone = { number: '0211 1234567', type: ['work'] }
  await contacts.create(
    { firstname: 'Grace', lastname: 'Hopper', phone, email: { email: 'g@example.com', type: [] }, organization: [['Navy']] },
    'SHARED',
  )
  const [grace] = await contacts.get('SHARED')
  assert.ok(grace)
  assert.partialDeepStrictEqual(grace, {
    name: 'Grace Hopper',
    emails: [{ email: 'g@example.com' }],
    numbers: [{ number: '+492111234567' }],
  })
  assert.deepEqual(await contacts.get('PRIVATE'), [])
  await contacts.update({ ...grace, name: 'Admiral Hopper', scope: 'PRIVATE' })
  assert.deepEqual(
    (await contacts.get('PRIVATE')).map(({ id, name }) => [id, name]),
    [[grace.id, 'Admiral Hopper']],
  )
  assert.match(await contacts.exportAsSingleVCard('ALL'), /TEL;TYPE=:\+492111234567/)

  const others = Array.from({ length: 450 }, (_, n) => ({
    id: `c${n}`,
    owner: 'w0',
    name: `B${1000 + n}`,
    emails: [],
    numbers: [],
    shared: false,
  }))
  await world.write((tables) => tables.contacts.insert(ada.accountId, others, world.clock.now()))
  const page = async (offset: number, limit: number) => {
    const { response, hasMore } = await contacts.paginatedGet('ALL', { offset, limit })
    return [response.map(({ name }) => name), hasMore]
  }
  assert.deepEqual(await page(0, 2), [['Admiral Hopper', 'B1000'], true])
  assert.deepEqual(await page(300, 2), [['B1299', 'B1300'], true])
  assert.deepEqual(await page(449, 2), [['B1448', 'B1449'], false])
  assert.deepEqual(await page(451, 2), [[], false])
  assert.equal((await contacts.get('ALL')).length, 451)
  assert.deepEqual(
    (await contacts.get('ALL', {}, { phonenumbers: ['0211 1234567'] })).map(({ id }) => id),
    [grace.id],
  )

  await contacts.delete(grace.id)
  await contacts.importFromCsvString('firstname,lastname,number\nAda,Lovelace,+492111234568')
  assert.deepEqual(
    (await contacts.get('ALL', { limit: 1 })).map(({ name }) => name),
    ['Ada Lovelace'],
  )
})
