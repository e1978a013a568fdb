import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { watchTimeline as watch } from '#test/http/timeline-stream.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'
import type { RunningCall } from '#core/telephone/call/state/calls.ts'
import { issueToken } from '#core/account/identity/tokens/tokens.ts'
import type { Timeline } from '#core/telephone/timeline/timeline.ts'

/** A call of these users, as the call router would register it. */
const beginCall = (world: World, accountId: string, callId: string, userIds: string[]): Timeline => {
  const { calls, timelines } = world.running.deps
  calls.here.enter({ accountId, callId, userIds, established: true } as unknown as RunningCall)
  const timeline = timelines.open(accountId, callId)
  timeline.seenBy(() => userIds)
  timeline.note({ kind: 'call', state: 'started', from: '+4921163554444', to: '+493023125000' })
  return timeline
}

const endCall = async (world: World, timeline: Timeline): Promise<void> => {
  world.running.deps.calls.here.leave(timeline.callId)
  timeline.note({ kind: 'call', state: 'ended', by: 'caller', reason: 'caller_hangup', cause: 'normal' })
  timeline.end()
  timeline.release()
  await world.clock.advance(10_000)
}

const attempt = { kind: 'attempt', eventId: 'e1', attempt: 1, channel: 'webhook', durationMs: 5, state: 'delivered' } as const

const withScopes = async (world: World, { accountId, userId }: Person, scopes: ('history:read' | 'rtcm:read')[]): Promise<string> =>
  world.write((tables) => issueToken(tables, world.clock, { kind: 'session', holder: { accountId, userId }, subject: userId, scopes }))

for (const database of databases)
  test(`${database}: pages through a timeline for permitted users, during and after the call`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const [carol, eve] = [await world.newUser(ada.accountId), await world.newAccount()]
    const timeline = beginCall(world, ada.accountId, 'c1', [bob.userId])
    for (const digit of '12345') timeline.note({ kind: 'key', digit })
    timeline.note(attempt)
    const at = { callId: 'c1' }
    const first = await bob.api.getTimeline({ ...at, limit: 4 })
    assert.deepEqual([first.items.map(({ sequence }) => sequence), first.more, first.running], [[1, 2, 3, 4], true, true])
    const rest = await ada.api.getTimeline({ ...at, after: 4 })
    assert.deepEqual([rest.items.map(({ kind }) => kind), rest.more], [['key', 'key', 'attempt'], false])
    for (const outsideNumber of [carol, eve]) await assert.rejects(outsideNumber.api.getTimeline(at), { status: 404 })
    const program = await withScopes(world, bob, ['history:read'])
    assert.equal((await world.client(program).getTimeline(at)).items.at(-1)?.kind, 'key', 'addresses and answers are the flow’s')
    await assert.rejects(world.client(await withScopes(world, bob, ['rtcm:read'])).getTimeline(at), { status: 403 })
    await assert.rejects(bob.api.getTimeline({ ...at, after: -1 }), withCode('parameter_invalid', 'after'))
    await endCall(world, timeline)
    const { items, running } = await ada.api.getTimeline({ ...at, language: 'de' })
    assert.equal(running, false)
    assert.ok(items.at(-1)?.kind === 'call' && JSON.stringify(items.at(-1)).includes('Der Anrufer hat aufgelegt.'))
    await assert.rejects(bob.api.getTimeline(at), { status: 404 }, 'nothing in the history is his')
    const names = { source: '', target: '', sourceAlias: '', targetAlias: '' }
    const marks = { read: false, archived: false, starred: false, note: '', labels: [], createdAt: 1, modifiedAt: 1 }
    const what = { type: 'CALL', direction: 'INCOMING', status: 'PICKUP' } as const
    const entry = {
      id: 'h1',
      connectionIds: [],
      endpoints: [],
      detail: {},
      userId: bob.userId,
      sessionId: 'c1',
      ...names,
      ...marks,
      ...what,
    }
    await world.write((tables) => tables.history.insert(ada.accountId, entry))
    assert.equal((await bob.api.getTimeline(at)).items.length, 8)
    await assert.rejects(carol.api.getTimeline(at), { status: 404 })
    const audit = await world.running.deps.store.read.audit.list(ada.accountId, { afterSeq: 0, limit: 100 })
    assert.equal(
      audit.filter(({ action, actor }) => action === 'timeline.read' && actor === `user:${bob.userId}`).length,
      1,
      'once in an hour',
    )
    await bob.api.deleteOwnHistoryEntry({ entryId: 'h1' })
    await assert.rejects(ada.api.getTimeline(at), { status: 404 })
  })

test('streams events live to each watcher who may see them', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const [bob, eve] = [await world.newUser(ada.accountId), await world.newAccount()]
  const all = await watch(t, world, ada.token)
  assert.deepEqual(
    ['content-type', 'cache-control', 'x-content-type-options'].map((name) => all.reply.headers.get(name)),
    ['text/event-stream; charset=utf-8', 'no-store', 'nosniff'],
  )
  const own = await watch(t, world, bob.token, '?language=de')
  const program = await watch(t, world, await withScopes(world, bob, ['history:read']))
  const foreign = await watch(t, world, eve.token)
  const ofFlow = await watch(t, world, ada.token, '?flowId=f1')
  const [timeline, other] = [beginCall(world, ada.accountId, 'c1', [bob.userId]), beginCall(world, ada.accountId, 'c2', [])]
  const session = world.running.deps.timelines.openFor({ id: 'f1', name: '', settings: {} }, ada.accountId, 'c1')
  session.note(attempt)
  session.note({ kind: 'message', eventId: 'e1', body: 'raw', bodyBytes: 3 })
  session.release()
  for (const one of [timeline, other]) await endCall(world, one)
  await all.until(() => all.entries.length === 6)
  assert.deepEqual(all.ids.toSorted(), ['c1:1', 'c1:2', 'c1:3', 'c1:4', 'c2:1', 'c2:2'])
  await own.until(() => own.entries.length === 4)
  assert.ok(JSON.stringify(own.entries.at(-1)).includes('Der Anrufer hat aufgelegt.'))
  await program.until(() => program.entries.length === 2)
  assert.deepEqual(program.ids, ['c1:1', 'c1:4'])
  await ofFlow.until(() => ofFlow.entries.length === 4)
  assert.deepEqual(ofFlow.ids, ['c1:1', 'c1:2', 'c1:3', 'c1:4'])
  assert.deepEqual(foreign.entries, [])
})

test('sends earlier events of a call first and resumes after a disconnect', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const bob = await world.newUser(ada.accountId)
  const timeline = beginCall(world, ada.accountId, 'c1', [])
  for (let count = 0; count < 3_000; count++) timeline.note({ kind: 'problem', message: 'x'.repeat(300) })
  const stream = await watch(t, world, ada.token, '?callId=c1')
  timeline.note({ kind: 'key', digit: '1' })
  await stream.until(() => stream.entries.length === 3_002)
  assert.deepEqual(
    stream.entries.map(({ sequence }) => sequence),
    Array.from({ length: 3_002 }, (_, index) => index + 1),
  )
  const again = await watch(t, world, ada.token, '?callId=c1', { 'last-event-id': 'c1:3000' })
  await again.until(() => again.entries.length === 2)
  timeline.note({ kind: 'key', digit: '2' })
  await again.until(() => again.entries.length === 3)
  assert.deepEqual(again.ids, ['c1:3001', 'c1:3002', 'c1:3003'])
  for (const [token, callId] of [
    [bob.token, 'c1'],
    [ada.token, 'c9'],
  ] as const)
    assert.equal((await watch(t, world, token, `?callId=${callId}`)).reply.status, 404)
  await endCall(world, timeline)
})

test('sends keep-alives, and ends with the token and with the service', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const stream = await watch(t, world, ada.token)
  await world.clock.advance(15_000)
  await stream.until(() => stream.comments === 2)
  const last = await watch(t, world, (await world.newAccount()).token)
  await world.write((tables) => tables.tokens.removeByUser(ada.accountId, ada.userId))
  await world.clock.advance(15_000)
  await stream.over
  await last.until(() => last.comments === 2)
  await world.running.close()
  await last.over
})

test('limits the number of open streams', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const streams = await Promise.all(Array.from({ length: 20 }, () => watch(t, world, ada.token)))
  assert.equal((await watch(t, world, ada.token)).reply.status, 429)
  assert.ok(streams.every(({ reply }) => reply.ok))
})

test('disconnects a client that does not read', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const request = get(`${world.url}/v2/timeline`, { headers: { authorization: `Bearer ${ada.token}` } })
  const [reply] = (await once(request, 'response')) as [IncomingMessage]
  reply.pause()
  const timeline = beginCall(world, ada.accountId, 'c1', [])
  const body = 'x'.repeat(65_000)
  const message = { headers: {}, body, bodyBytes: body.length }
  for (let count = 0; count < 200; count++) timeline.note({ ...attempt, request: message, response: message })
  let bytes = 0
  reply.on('data', (piece: Buffer) => (bytes += piece.length))
  await assert.rejects(once(reply, 'end'), { code: 'ECONNRESET' })
  assert.ok(bytes < 200 * 130_000)
  await endCall(world, timeline)
})

test('erases a timeline that starts while its account is being closed', async (t) => {
  const world = await startWorld(t)
  const { accountId } = await world.newAccount()
  const operator = await world.operator()
  const timeline = beginCall(world, accountId, 'c1', [])
  const { timelines } = world.running.deps.store.read
  const work = async (): Promise<void> => {
    world.running.deps.wake()
    await world.running.idle()
  }
  await operator.closeAccount({ accountId })
  await work()
  await world.clock.advance(1_000)
  assert.ok(await timelines.find(accountId, 'c1'))
  await world.clock.advance(60_000)
  await work()
  timeline.note({ kind: 'call', state: 'held' })
  await endCall(world, timeline)
  assert.equal(await timelines.find(accountId, 'c1'), undefined)
})

test('streams a call with a burst of events from its start', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  const timeline = beginCall(world, ada.accountId, 'c1', [])
  const body = 'x'.repeat(60_000)
  for (let count = 0; count < 100; count++) timeline.note({ kind: 'message', eventId: 'e', body, bodyBytes: body.length })
  const stream = await watch(t, world, ada.token, '?callId=c1')
  await stream.until(() => stream.entries.length === 101)
  assert.deepEqual(
    stream.entries.map(({ sequence }) => sequence),
    Array.from({ length: 101 }, (_, index) => index + 1),
  )
  await endCall(world, timeline)
})
