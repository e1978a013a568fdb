// test: real time
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { test } from 'node:test'
import { BlfPhone, type Login } from '#test/phones/blf-phone.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import type { HistoryEntry } from '#core/kernel/ports/store/call.ts'
import type { Response } from '@offhook/sip/message/message.ts'

const newDevice = async ({ api, userId }: Person): Promise<Login> => {
  const { id, credentials } = await api.createRegisterDevice({ userId }, { alias: 'Desk' })
  return { deviceId: id, username: credentials.username, password: credentials.password }
}

const aMessage = (voicemail: string): HistoryEntry => ({
  id: randomUUID(),
  userId: 'w0',
  sessionId: randomUUID(),
  type: 'VOICEMAIL',
  direction: 'INCOMING',
  source: '+4930123456',
  target: '+4930654321',
  sourceAlias: '',
  targetAlias: '',
  status: 'PICKUP',
  connectionIds: [voicemail],
  endpoints: [],
  detail: { duration: 3 },
  createdAt: 1,
  modifiedAt: 1,
  read: false,
  archived: false,
  starred: false,
  note: '',
  labels: [],
})

const voicemailOf = async (world: World, { accountId, userId }: Person): Promise<string> => {
  const { read } = world.running.deps.store
  const [line] = await read.phonelines.list(accountId, userId)
  const [voicemail] = await read.voicemails.listByOwner(accountId, line?.id ?? '')
  return voicemail?.id ?? assert.fail('no voicemail')
}

for (const database of databases) {
  test(`${database}: MWI follows new, heard and erased messages`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const login = await newDevice(ada)
    const phone = await BlfPhone.open(t, login)
    assert.equal((await phone.subscribe(world, 'message-summary', login.username)).status, 200)
    assert.equal(await phone.next(), 'Messages-Waiting: no\r\nMessage-Account: sip:50000@offhook.example\r\nVoice-Message: 0/0 (0/0)\r\n')
    const message = aMessage(await voicemailOf(world, ada))
    await world.clock.advance(1_000)
    await world.write((tables) => tables.history.insert(ada.accountId, message))
    assert.match(await phone.next(), /^Messages-Waiting: yes\r\n.*\r\nVoice-Message: 1\/0 /)
    await world.clock.advance(1_000)
    await ada.api.changeOwnHistoryEntry({ entryId: message.id }, { read: true })
    assert.match(await phone.next(), /^Messages-Waiting: no\r\n.*\r\nVoice-Message: 0\/1 /)
    await world.clock.advance(1_000)
    await ada.api.deleteOwnHistoryEntry({ entryId: message.id })
    assert.match(await phone.next(), /Voice-Message: 0\/0 /)
    assert.equal(phone.told.at(-1)?.header('subscription-state'), 'active;expires=597')
  })
}

test('answers SUBSCRIBE by its sender, target and duration', async (t) => {
  const world = await startWorld(t)
  const [ada, eve] = [await world.newAccount(), await world.newAccount()]
  const [login, evil] = [await newDevice(ada), await newDevice(eve)]
  const [phone, outsider] = [await BlfPhone.open(t, login), await BlfPhone.open(t, evil)]
  await ada.api.addQuickDial({}, { userId: 'p0', number: '44' })
  const answer = async (of: BlfPhone, ...rest: [string, string, [string, string][]?]): Promise<Response> => of.subscribe(world, ...rest)

  for (const name of [login.deviceId, login.username, 'p0', '44']) assert.equal((await answer(phone, 'dialog', name)).status, 200, name)
  for (const name of ['e77', 'g77', '110', '+4930123456']) assert.equal((await answer(phone, 'dialog', name)).status, 404, name)
  for (const name of [login.username, `${ada.accountId}p0`]) assert.equal((await answer(outsider, 'dialog', name)).status, 404, name)
  assert.equal((await answer(outsider, 'message-summary', login.username)).status, 404)

  const unknown = await answer(phone, 'presence', 'e0')
  assert.deepEqual([unknown.status, unknown.header('allow-events')], [489, 'message-summary, dialog'])
  const short = await answer(phone, 'dialog', 'p0', [['Expires', '30']])
  assert.deepEqual([short.status, short.header('min-expires')], [423, '60'])
  assert.equal((await answer(phone, 'dialog', 'p0', [['Expires', '86400']])).header('expires'), '3600')
  const liar = await BlfPhone.open(t, { ...login, password: 'wrong' })
  assert.equal((await answer(liar, 'dialog', 'p0')).status, 401)
})

test('limits a phone to a hundred subscriptions, not counting repeated ones', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const login = await newDevice(ada)
  const phone = await BlfPhone.open(t, login)
  const others = await BlfPhone.open(t, login)
  const { read } = world.running.deps.store
  const count = async (): Promise<number> => (await read.lampWatches.listAt(`${hostname()} 127.0.0.1:0`, 0)).length
  for (let again = 0; again < 3; again++) assert.equal((await phone.subscribe(world, 'dialog', login.deviceId)).status, 200)
  await world.running.idle()
  assert.equal(await count(), 1)
  await world.write(async (tables) => {
    for (let line = 1; line < 99; line++) await tables.phonelines.create(ada.accountId, { owner: ada.userId, alias: 'Line', at: 0 })
  })
  const answers = await Promise.all(Array.from({ length: 99 }, (_, line) => others.subscribe(world, 'dialog', `p${line}`)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal((await others.subscribe(world, 'message-summary', login.username)).status, 403)
  await world.running.idle()
  assert.equal(await count(), 100)
})

test('sends current NOTIFYs after a restart', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const login = await newDevice(ada)
  const phone = await BlfPhone.open(t, login)
  await phone.subscribe(world, 'message-summary', login.username)
  await phone.next()
  await world.running.idle()
  await world.running.close()
  assert.equal(phone.told.length, 1, 'the end of a process is not the end of a subscription')

  const second = await startWorld(t, { settings: { OFFHOOK_DATA: world.data } })
  assert.match(await phone.next(), /^Messages-Waiting: no/)
  const [before, after] = phone.told
  assert.deepEqual([after?.callId, after?.toTag, after?.fromTag], [before?.callId, before?.toTag, before?.fromTag])
  const message = aMessage(await voicemailOf(second, ada))
  await second.clock.advance(1_000)
  await second.write((tables) => tables.history.insert(ada.accountId, message))
  assert.match(await phone.next(), /^Messages-Waiting: yes/)
})
