import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations, type Operation } from '@offhook/contract'
import { confirmedHeader, usualTools } from '@offhook/contract/tools.ts'
import { createClient, type Client } from '@offhook/sdk'
import { connected, customer, euro, landline, mobile, routeMobile, type Customer } from '#test/world/test-orders.ts'
import { databases, startWorld, type World } from '#test/world/world.ts'

type Rules = Parameters<Client['setLeash']>[1]

/** A token of the customer, its client, and a setter for its leash. */
const tokenOf = async (world: World, person: Customer) => {
  const { tokenId, token } = await person.api.createPersonalToken({}, { name: 'agent' })
  const api = world.client(`${tokenId}:${token}`)
  return { tokenId, token: `${tokenId}:${token}`, api, hold: (rules: Rules) => person.api.setLeash({ leashId: tokenId }, rules) }
}

const outcome = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'done',
    ({ body }: { body: { code: string } }) => body.code,
  )

for (const database of databases) {
  test(`${database}: limits the numbers, times and counts of a token's calls and messages`, async (t) => {
    const { world, orders } = await connected(t, database)
    const ada = await customer(world)
    await world.write((tables) => tables.accounts.bookFeature(ada.accountId, 'SMS', 0))
    await routeMobile(world, ada)
    const { api, hold, tokenId } = await tokenOf(world, ada)
    const [sms] = (await ada.api.listSms({ userId: ada.userId })).items
    const call = async (callee: string, caller = ada.device, deviceId?: string) => {
      await world.clock.advance(1000)
      return outcome(api.startCall({}, { caller, callee, ...(deviceId !== undefined && { deviceId }) }))
    }
    const write = (recipient: string) => outcome(api.sendSms({}, { smsId: sms!.id, recipient, message: 'Hello' }))

    await hold({ allowedNumbers: [landline, '+4915112*'], callsPerDay: 3, smsPerDay: 1 })
    assert.equal(await call('0211 63554444'), 'done', 'however it is written')
    assert.equal(await call('+4921163554445'), 'leash_number_not_allowed')
    assert.equal(await call('112'), 'leash_number_not_allowed', 'no program alarms the rescue services')
    assert.equal(await call('116117'), 'leash_number_not_allowed', 'nor those who help otherwise')
    assert.equal(await call('p0'), 'leash_number_not_allowed', 'a line may forward to anywhere')
    assert.equal(await call(landline, '+4930123456', ada.device), 'leash_number_not_allowed', 'who rings first is called, too')
    assert.equal(await call(landline, mobile, ada.device), 'done')
    assert.equal(await write(mobile), 'done')
    assert.equal(await write(mobile), 'leash_sms_used_up')
    assert.equal(await write('+4915212345678'), 'leash_number_not_allowed')
    assert.equal(await call(landline), 'done')
    assert.equal(await call(landline), 'leash_calls_used_up')
    assert.equal(orders.calls.length, 3)
    const { used, name, holder } = await ada.api.getLeash({ leashId: tokenId })
    assert.deepEqual({ name, holder, calls: used.calls, sms: used.sms }, { name: 'agent', holder: 'token', calls: 3, sms: 1 })
    assert.equal(await outcome(ada.api.startCall({}, { caller: ada.device, callee: '+4921163554445' })), 'done', 'the user is free')

    world.clock.set(24 * 60 * 60 * 1000)
    assert.equal(await call(landline), 'done', 'the next day')
    await hold({ allowedNumbers: ['p0'] })
    assert.equal(await call('p0'), 'done', 'a line that is named')
    assert.equal(await call('50000'), 'done', 'the own messages')
    await ada.api.removeLeash({ leashId: tokenId })
    assert.equal(await call('+4921163554445'), 'done')

    const entries = (await ada.api.listAccountAudit({ limit: 100 })).items.filter(({ target }) => target === tokenId)
    const count = (action: string) => entries.filter((entry) => entry.action === action).length
    assert.deepEqual([count('leash.set'), count('leash.use'), count('leash.refuse'), count('leash.remove')], [2, 7, 8, 1])
  })

  test(`${database}: limits the spending of a token, including a running call`, async (t) => {
    const { world, orders } = await connected(t, database)
    const ada = await customer(world, 100 * euro)
    const { api, hold, tokenId } = await tokenOf(world, ada)
    const { store, clock } = world.running.deps
    const call = async () => {
      await world.clock.advance(1000)
      return outcome(api.startCall({}, { caller: ada.device, callee: landline }))
    }
    await hold({ maxSpend: 300 })
    assert.equal(await call(), 'done')
    assert.equal((await ada.api.getLeash({ leashId: tokenId })).used.spent, 190)
    const { extendCall, settleCall } = await import('#core/money/reservations.ts')
    const { sessionId } = orders.calls[0]!
    const input = { accountId: ada.accountId, sessionId, seconds: 3600 }
    await store.write((tables) => extendCall(tables, clock, input))
    assert.ok((await ada.api.getLeash({ leashId: tokenId })).used.spent <= 300)
    assert.equal(await call(), 'leash_spent')
    await store.write((tables) => settleCall(tables, clock, { ...input, seconds: [60] }))
    assert.equal((await ada.api.getLeash({ leashId: tokenId })).used.spent, 190, 'what was paid, not what was held')
    assert.equal(await outcome(ada.api.startCall({}, { caller: ada.device, callee: landline })), 'done', 'the user is free')
  })
}

test('limits a token to hours of a time zone', async (t) => {
  const { world } = await connected(t, 'sqlite')
  const ada = await customer(world)
  const { api, hold, tokenId } = await tokenOf(world, ada)
  const call = () => outcome(api.startCall({}, { caller: ada.device, callee: landline }))
  const at = (time: string) => {
    world.clock.set(Date.parse(time) - world.clock.now())
    return call()
  }
  await hold({ hours: { weekdays: ['mon', 'tue'], from: '08:00', to: '18:00', timeZone: 'Europe/Berlin' } })
  assert.equal(await at('2026-11-16T06:59:00Z'), 'leash_hours_closed', 'Monday')
  assert.equal(await at('2026-11-16T07:00:00Z'), 'done', 'eight in the winter of Berlin')
  assert.equal(await at('2026-11-17T16:59:59Z'), 'done')
  assert.equal(await at('2026-11-17T17:00:00Z'), 'leash_hours_closed')
  assert.equal(await at('2026-11-18T10:00:00Z'), 'leash_hours_closed', 'Wednesday')
  await hold({ hours: { from: '00:00', to: '24:00' } })
  assert.equal((await ada.api.getLeash({ leashId: tokenId })).hours?.timeZone, 'Europe/Berlin', 'of the user')
  assert.equal(await call(), 'done')
  assert.equal(await outcome(hold({ hours: { from: '18:00', to: '08:00' } })), 'parameter_invalid')
  assert.equal(await outcome(hold({ hours: { from: '08:00', to: '18:00', timeZone: 'Mars/Olympus' } })), 'parameter_invalid')
})

test('allows a token with a leash to read and to use its tools, but no other change', async (t) => {
  const { world } = await connected(t, 'sqlite')
  const ada = await customer(world)
  const { api, hold, token, tokenId } = await tokenOf(world, ada)
  await hold({})
  const paths = (operation: Operation) =>
    operation.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => (name === 'userId' ? ada.userId : 'x1'))
  const headers = { authorization: `Basic ${btoa(token)}`, 'content-type': 'application/json' }
  for (const operation of Object.values<Operation>(operations)) {
    if (operation.auth !== 'user' || operation.events) continue
    const reply = await fetch(world.url + paths(operation), { method: operation.method, headers, ...(operation.body && { body: '{}' }) })
    const text = await reply.text()
    const code = text.startsWith('{') ? (JSON.parse(text) as { code?: string }).code : undefined
    const allowed = operation.tools
      ? operation.tools.some((tool) => usualTools.includes(tool))
      : operation.method === 'GET' && !operation.credentials
    assert.equal(code !== 'leash_not_allowed', allowed, operation.id)
    await world.clock.advance(1000)
  }
  await hold({ tools: ['publish'] })
  assert.equal(await outcome(api.listFlows()), 'leash_not_allowed')
  assert.equal(await outcome(api.publishAssistant({ aiFlowId: 'x' }, {})), 'flow_not_found')
  const { leash, scopes } = await api.getAccess()
  assert.deepEqual([leash?.leashId, leash?.tools, scopes], [tokenId, ['publish'], ['all']])
  assert.equal((await ada.api.getAccess()).leash, undefined)
})

test('requires the program to ask its user when the leash says so', async (t) => {
  const { world, orders } = await connected(t, 'sqlite')
  const ada = await customer(world)
  const { api, hold, token } = await tokenOf(world, ada)
  await hold({ confirm: 'client' })
  assert.equal(await outcome(api.startCall({}, { caller: ada.device, callee: landline })), 'leash_confirmation_missing')
  await api.listFlows()
  const asked: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set(confirmedHeader, 'true')
    return fetch(input, { ...init, headers })
  }
  const confirmed = createClient({ baseUrl: world.url, token, fetch: asked })
  await confirmed.startCall({}, { caller: ada.device, callee: landline })
  assert.equal(orders.calls.length, 1)
})

test('restricts leashes to their user and removes them with the token', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const { tokenId } = await ada.api.createPersonalToken({}, { name: 'agent' })
  await ada.api.setLeash({ leashId: tokenId }, { callsPerDay: 1 })
  assert.equal(await outcome(bob.api.setLeash({ leashId: tokenId }, {})), 'not_found')
  assert.equal(await outcome(bob.api.getLeash({ leashId: tokenId })), 'leash_not_found')
  assert.equal(await outcome(bob.api.removeLeash({ leashId: tokenId })), 'leash_not_found')
  assert.equal(await outcome(ada.api.setLeash({ leashId: tokenId }, { allowedNumbers: ['030 1234'] })), 'parameter_invalid')
  const app = await ada.api.createOauthClient({}, { name: 'App' })
  await bob.api.setLeash({ leashId: app.clientId }, { smsPerDay: 0 })
  assert.deepEqual(
    (await bob.api.listLeashes()).items.map(({ name, holder }) => [name, holder]),
    [['App', 'client']],
  )
  await ada.api.deleteOauthClient({ clientId: app.clientId })
  assert.deepEqual((await bob.api.listLeashes()).items, [])
  await ada.api.deletePersonalToken({ tokenId })
  assert.equal(await outcome(ada.api.getLeash({ leashId: tokenId })), 'leash_not_found')
})
