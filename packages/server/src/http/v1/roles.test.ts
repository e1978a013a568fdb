import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { ApiError, listen, ListenEnded } from '@offhook/sdk'
import type { Restriction } from '@offhook/contract/restrictions.ts'
import type { RunningCall } from '#core/telephone/call/state/calls.ts'
import { watchTimeline } from '#test/http/timeline-stream.ts'
import { PageClient } from '#test/phones/page-client.ts'
import { bothDatabases, databases, startWorld, type Person, type World } from '#test/world/world.ts'

const isProblem =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof ApiError && error.body.code === code

interface Scope {
  groups?: string[]
  lines?: string[]
  assistants?: string[]
}

/** Gives the user a new role. */
const give = async (admin: Person, user: Person, permissions: Restriction[], scope?: Scope): Promise<string> => {
  const whole = scope ? { groups: [], lines: [], assistants: [], ...scope } : null
  const { id } = await admin.api.createRole({}, { name: `Role ${randomUUID()}`, permissions, scope: whole })
  await admin.api.setUserRoles({ userId: user.userId }, { roleIds: [id] })
  return id
}

const entryOf = (id: string, connectionIds: string[], userId?: string) => ({
  id,
  userId,
  sessionId: `call-${id}`,
  type: 'CALL' as const,
  direction: 'INCOMING' as const,
  source: '+493023125905',
  target: '+493023125906',
  sourceAlias: '',
  targetAlias: '',
  status: 'PICKUP' as const,
  connectionIds,
  endpoints: [],
  detail: { duration: 3, recordings: [{ id: `recording-${id}` }] },
  createdAt: 1,
  modifiedAt: 1,
  read: false,
  archived: false,
  starred: false,
  note: '',
  labels: [],
})

/** An account with calls of two groups, an assistant and the user Bob. */
const callCentre = async (world: World) => {
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const support = await ada.api.createGroup({}, { alias: 'Support', members: [bob.userId] })
  const sales = await ada.api.createGroup({}, { alias: 'Sales', members: [bob.userId] })
  const bot = await ada.api.createFlow({}, { name: 'Bot' })
  const secretBot = await ada.api.createFlow({}, { name: 'Secret bot' })
  const [line] = (await bob.api.listPhonelines({ userId: bob.userId })).items
  assert.ok(line)
  await world.write(async ({ history, recordings }) => {
    const entries = [
      entryOf('support', [support.id], bob.userId),
      entryOf('sales', [sales.id], bob.userId),
      entryOf('own', [line.id], bob.userId),
      entryOf('bot', [bot.id]),
    ]
    for (const entry of entries) {
      await history.insert(ada.accountId, entry)
      const recording = { id: `recording-${entry.id}`, accountId: ada.accountId, callId: entry.sessionId, kind: 'CALL' as const }
      await recordings.insert({ ...recording, createdAt: 1, durationMs: 1, bytes: 1, truncated: false })
    }
  })
  return { ada, bob, support, sales, bot, secretBot, line }
}

for (const database of databases) {
  test(`${database}: replaces the permissions of a user by those of own roles`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const roleId = await give(ada, bob, ['CAN_GET_CONTACTS', 'CAN_GET_ACCOUNT_BALANCE'])
    await bob.api.listContacts()
    await bob.api.getBalance()
    for (const refused of [bob.api.listNumbers, bob.api.listOwnHistory, bob.api.listFlows, bob.api.listRoles])
      await assert.rejects(refused({}), isProblem('forbidden'))
    assert.deepEqual((await bob.api.search({ q: 'ada' })).items, [])
    const { items } = await bob.api.listRestrictions()
    assert.deepEqual(
      items.filter(({ value }) => value).map(({ restriction }) => restriction),
      ['CAN_GET_ACCOUNT_BALANCE', 'CAN_GET_CONTACTS'],
    )
    assert.deepEqual((await ada.api.getUser({ userId: bob.userId })).roleIds, [roleId])
    assert.deepEqual(
      (await ada.api.listRoles()).items.map(({ id, users, scope }) => [id, users, scope]),
      [[roleId, 1, null]],
    )

    await ada.api.changeRole({ roleId }, { name: 'Readers', permissions: ['CAN_GET_FLOWS'] })
    await bob.api.listFlows()
    await assert.rejects(bob.api.listContacts(), isProblem('forbidden'))
    await assert.rejects(ada.api.deleteRole({ roleId }), isProblem('role_in_use'))
    await ada.api.setUserRoles({ userId: bob.userId }, { roleIds: [] })
    await bob.api.listContacts()
    await ada.api.deleteRole({ roleId })
    assert.deepEqual((await ada.api.listRoles()).items, [])
    const actions = (await ada.api.listAccountAudit()).items.map(({ action }) => action)
    assert.deepEqual(
      actions.filter((action) => /role/.test(action)),
      ['role.delete', 'user.roles', 'role.change', 'user.roles', 'role.create'],
    )
  })

  test(`${database}: rejects invalid roles and assignments`, async (t) => {
    const world = await startWorld(t, { database })
    const [ada, eve] = [await world.newAccount(), await world.newAccount()]
    const bob = await world.newUser(ada.accountId)
    const foreign = await eve.api.createGroup({}, { alias: 'Foreign' })
    const { id: elsewhere } = await eve.api.createRole({}, { name: 'Elsewhere', permissions: [] })
    const create = (permissions: Restriction[], scope: Scope) =>
      ada.api.createRole({}, { name: 'R', permissions, scope: { groups: [], lines: [], assistants: [], ...scope } })
    const invalid = isProblem('parameter_invalid')
    await assert.rejects(ada.api.createRole({}, { name: 'R', permissions: ['CAN_MANAGE_ROLES'] }), invalid)
    await assert.rejects(create(['CAN_GET_CONTACTS'], { assistants: ['none'] }), invalid)
    await assert.rejects(create(['CAN_GET_HISTORY'], {}), invalid)
    await assert.rejects(create(['CAN_GET_HISTORY'], { groups: [`${foreign.id}9`] }), invalid)
    await assert.rejects(create(['CAN_GET_HISTORY'], { lines: [foreign.id] }), invalid)
    const assign = (userId: string, roleIds: string[]) => ada.api.setUserRoles({ userId }, { roleIds })
    await assert.rejects(assign(bob.userId, [elsewhere]), isProblem('role_not_found'))
    const { id } = await ada.api.createRole({}, { name: 'R', permissions: [] })
    await assert.rejects(assign(ada.userId, [id]), isProblem('role_of_administrator'))
    await assert.rejects(assign('w99', [id]), isProblem('user_not_found'))
    await assert.rejects(bob.api.createRole({}, { name: 'R', permissions: [] }), isProblem('forbidden'))
    await assign(bob.userId, [id])
    await ada.api.changeUser({ userId: bob.userId }, { role: 'ADMIN' })
    assert.deepEqual((await ada.api.getUser({ userId: bob.userId })).roleIds, [], 'an administrator has no own roles')
  })
}

for (const database of bothDatabases)
  test(`${database}: shows only calls, groups and assistants of the scope`, async (t) => {
    const world = await startWorld(t, { database })
    const { ada, bob, support, sales, bot, secretBot, line } = await callCentre(world)
    const shown = async () => (await bob.api.listOwnHistory({ sort: 'created' })).items.map(({ id }) => id).toSorted()
    assert.deepEqual(await shown(), ['own', 'sales', 'support'])
    const both = ['CAN_GET_HISTORY', 'CAN_CHANGE_HISTORY', 'CAN_GET_GROUPS', 'CAN_CHANGE_GROUPS', 'CAN_GET_FLOWS'] as Restriction[]
    const roleId = await give(ada, bob, both, { groups: [support.id] })
    assert.deepEqual(await shown(), ['support'])
    assert.equal((await bob.api.listOwnHistory()).totalCount, 1)
    assert.match(
      await (await fetch(`${world.url}/v2/history`, { headers: { authorization: `Bearer ${bob.token}`, accept: 'text/csv' } })).text(),
      /^[^\n]+\n[^\n]+\n$/,
    )
    for (const hidden of ['sales', 'own', 'bot']) {
      await assert.rejects(bob.api.getOwnHistoryEntry({ entryId: hidden }), { status: 404 })
      await assert.rejects(bob.api.changeOwnHistoryEntry({ entryId: hidden }, { read: true }), { status: 404 })
      await assert.rejects(bob.api.deleteRecording({ recordingId: `recording-${hidden}` }), { status: 404 })
    }
    assert.deepEqual(await bob.api.changeHistoryInBulk({}, { ids: ['sales', 'own', 'support'], action: 'READ' }), { changed: 1 })
    assert.deepEqual(
      (await bob.api.search({ q: '3023125905' })).items.map(({ id }) => id),
      ['support'],
    )
    assert.deepEqual(
      (await bob.api.listGroups()).items.map(({ id }) => id),
      [support.id],
    )
    await bob.api.getGroup({ groupId: support.id })
    await assert.rejects(bob.api.getGroup({ groupId: sales.id }), { status: 403 })
    await assert.rejects(bob.api.changeGroup({ groupId: sales.id }, { alias: 'Mine' }), { status: 403 })
    await assert.rejects(bob.api.createGroup({}, { alias: 'New' }), { status: 403 })
    await assert.rejects(bob.api.getRouting({ target: sales.id }), { status: 403 })
    assert.deepEqual((await bob.api.listFlows()).items, [])

    const scope = { groups: [], lines: [line.id], assistants: [bot.id] }
    await ada.api.changeRole({ roleId }, { name: 'Bots', permissions: both, scope })
    assert.deepEqual(await shown(), ['bot', 'own'])
    assert.deepEqual(
      (await bob.api.listFlows()).items.map(({ id }) => id),
      [bot.id],
    )
    await assert.rejects(bob.api.getFlow({ aiFlowId: secretBot.id }), { status: 403 })
    await assert.rejects(bob.api.listHistory({ userId: ada.userId }), { status: 403 })

    const { id: changer } = await ada.api.createRole({}, { name: 'All history', permissions: ['CAN_GET_HISTORY'], scope: null })
    await ada.api.setUserRoles({ userId: bob.userId }, { roleIds: [roleId, changer] })
    assert.deepEqual(await shown(), ['own', 'sales', 'support'], 'a role without a scope reads as a user without roles')
    await assert.rejects(bob.api.changeOwnHistoryEntry({ entryId: 'sales' }, { read: true }), { status: 404 })
  })

test('controls and follows only running calls of the scope', async (t) => {
  const world = await startWorld(t)
  const { ada, bob, support, sales } = await callCentre(world)
  const { accountId } = ada
  const { calls, timelines } = world.running.deps
  const begin = (callId: string, extensions: string[]) => {
    const status = () => ({ callId, muted: false, recording: false, hold: false, participants: [] })
    calls.here.enter({ accountId, callId, userIds: [bob.userId], extensions, established: true, status } as unknown as RunningCall)
    const timeline = timelines.open(accountId, callId)
    timeline.seenBy(
      () => [bob.userId],
      () => extensions,
    )
    timeline.note({ kind: 'key', digit: '1' })
    return timeline
  }
  const [supported, sold] = [begin('c1', [support.id]), begin('c2', [sales.id])]
  t.after(() => [supported, sold].forEach((timeline) => timeline.release()))
  const listed = async () => (await bob.api.listCalls()).data.map(({ callId }) => callId)
  assert.deepEqual(await listed(), ['c1', 'c2'])
  await give(ada, bob, ['CAN_CONTROL_CALLS', 'CAN_GET_HISTORY'], { groups: [support.id] })
  assert.deepEqual(await listed(), ['c1'])
  await assert.rejects(bob.api.hangUpCall({ callId: 'c2' }), { status: 404 })
  assert.equal((await bob.api.getTimeline({ callId: 'c1' })).items.length, 1)
  await assert.rejects(bob.api.getTimeline({ callId: 'c2' }), { status: 404 })
  await give(ada, bob, ['CAN_GET_HISTORY'], { groups: [support.id] })
  await assert.rejects(bob.api.listCalls(), { status: 403 })
  assert.equal((await bob.api.getTimeline({ callId: 'c1' })).items.length, 1)
})

test('ends event streams and WebSockets when a role takes their permission away', async (t) => {
  const world = await startWorld(t)
  const { ada, bob, bot, support, sales } = await callCentre(world)
  await give(ada, bob, ['CAN_GET_HISTORY', 'CAN_INITIATE_CALLS'])
  const page = await PageClient.open(t, (await bob.api.openPhone()).url)
  await give(ada, bob, ['CAN_GET_HISTORY', 'CAN_GET_FLOWS', 'CAN_CHANGE_FLOWS'], { groups: [support.id], assistants: [bot.id] })
  const stop = new AbortController()
  t.after(() => stop.abort())
  const ready = Promise.withResolvers<void>()
  const to = { baseUrl: world.url, token: bob.token, flowId: bot.id, to: 'http://127.0.0.1:9/' }
  const listening = listen({ ...to, onReady: () => ready.resolve(), signal: stop.signal })
  listening.catch((error: unknown) => ready.reject(error))
  await ready.promise
  const stream = await watchTimeline(t, world, bob.token)
  const note = (callId: string, extension: string): void => {
    const timeline = world.running.deps.timelines.open(ada.accountId, callId)
    timeline.seenBy(
      () => [bob.userId],
      () => [extension],
    )
    timeline.note({ kind: 'key', digit: '1' })
    timeline.release()
  }
  note('c1', sales.id)
  note('c2', support.id)
  await stream.until(() => stream.entries.length === 1)
  assert.equal(stream.entries[0]?.callId, 'c2')

  const ended = assert.rejects(listening, (error) => error instanceof ListenEnded && error.code === 4003)
  await give(ada, bob, ['CAN_GET_HISTORY', 'CAN_GET_FLOWS', 'CAN_CHANGE_FLOWS'], { groups: [sales.id] })
  await world.clock.advance(31_000)
  await Promise.all([stream.over, ended])
  assert.equal(await page.closed, 1008)
})
