import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '@offhook/contract/problem.ts'
import type { ApiError, Client } from '@offhook/sdk'
import type { RunningCall } from '#core/telephone/call/state/calls.ts'
import { startCluster, type Cluster } from '#test/service/cluster.ts'
import { until } from '#test/machine/peer-process.ts'
import { FaultyBus } from '#test/service/faulty-bus.ts'
import { startWorld, type Person } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

/** A call as the call router would register it: records its commands. */
const runningCall = (callId: string, { accountId, userId }: Person, more: Partial<RunningCall> = {}): RunningCall & { asked: string[] } => {
  const asked: string[] = []
  const note =
    (what: string) =>
    async (...details: unknown[]): Promise<void> =>
      void asked.push(`${what} ${JSON.stringify(details)}`)
  return {
    callId,
    accountId,
    userIds: [userId],
    extensions: [],
    established: true,
    asked,
    status: () => ({ callId, muted: false, recording: false, hold: false, participants: [] }),
    hold: note('hold'),
    mute: note('mute'),
    transfer: note('transfer'),
    record: note('record'),
    pauseRecording: note('pauseRecording'),
    sendDtmf: note('dtmf'),
    announce: async (fetch) => note('announce')(await fetch().catch(({ message }: Error) => message)),
    hangUp: note('hangUp'),
    ...more,
  }
}

const enter = ({ processes }: Cluster, at: number, call: RunningCall): void => processes[at]?.running.deps.calls.here.enter(call)

/** Result for the client: a status and, on failure, the body. */
const outcome = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    ({ status, body, headers }: ApiError & { headers?: unknown }) => ({ status, body, headers }),
  )

/** Lets time pass until the reply is there. */
const inTime = async <T>({ clock }: Cluster, replying: Promise<T>): Promise<T> => {
  const state = { replied: false }
  const ended = replying.finally(() => (state.replied = true))
  while (!state.replied) await clock.advance(100)
  return ended
}

const everyCommand = (api: Client, callId: string): Promise<unknown>[] => {
  const at = { callId }
  return [
    api.holdCall(at, { value: true }),
    api.muteCall(at, { value: false }),
    api.recordCall(at, { value: true, announcement: true }),
    api.pauseRecording(at, { value: true }),
    api.sendDtmf(at, { sequence: '12*#' }),
    api.announceInCall(at, { url: 'http://127.0.0.1:1/a.wav' }),
    api.announceInCall(at, { url: 'file:///etc/passwd' }),
    api.transferCall(at, { attended: false, phoneNumber: '0211 63554444' }),
    api.transferCall(at, { attended: true, phoneNumber: '0900 1234567' }),
    api.transferCall(at, { attended: true, phoneNumber: '+4921163554444', callerId: '+493023125000' }),
    api.transferCall(at, { attended: true, phoneNumber: 'nobody' }),
    api.hangUpCall(at),
  ].map((work) => outcome(work))
}

test('has the same effect and reply for every command at every node', async (t) => {
  const cluster = await startCluster(t)
  const { admin } = cluster
  const calls = [0, 1, 2].map((at) => runningCall(`c${at}`, admin))
  for (const [at, call] of calls.entries()) enter(cluster, at, call)
  const answers = new Set<string>()
  for (const [at, call] of calls.entries()) {
    for (const from of [0, 1, 2]) {
      answers.add(JSON.stringify(await Promise.all(everyCommand(cluster.api(from), `c${at}`))))
      call.asked.push('next')
    }
  }
  assert.equal(answers.size, 1, [...answers].join('\n'))
  const [first] = JSON.parse([...answers][0] ?? '[]') as unknown[]
  assert.equal(first, 'done')
  const effects = new Set(
    calls.flatMap(({ asked }) =>
      asked
        .join('\n')
        .split('\nnext')
        .map((one) => one.trim().split('\n').toSorted().join('\n')),
    ),
  )
  effects.delete('')
  assert.equal(effects.size, 1, [...effects].join('\n\n'))
  assert.equal([...effects][0]?.split('\n').length, 8)
})

test("passes on the owning node's rejection unchanged", async (t) => {
  const cluster = await startCluster(t, { processes: 2 })
  const { admin } = cluster
  const problem = Problem.field('value', 'is not liked today', 'conflict')
  enter(cluster, 0, runningCall('c1', admin, { hold: () => Promise.reject(problem), mute: () => Promise.reject(new Error('broken')) }))
  enter(cluster, 0, runningCall('c2', admin, { established: false }))
  for (const [name, status] of [
    ['holdCall', 409],
    ['muteCall', 500],
  ] as const) {
    const [here, there] = await Promise.all([0, 1].map((at) => outcome(cluster.api(at)[name]({ callId: 'c1' }, { value: true }))))
    assert.deepEqual(there, here)
    assert.equal((here as { status: number }).status, status)
  }
  await assert.rejects(cluster.api(1).holdCall({ callId: 'c2' }, { value: true }), { status: 409 })
  await cluster.api(1).hangUpCall({ callId: 'c2' })
})

test('lets owners control a call on another node by each of its ids', async (t) => {
  const cluster = await startCluster(t, { processes: 2 })
  const [world] = cluster.processes
  const bob = (await world?.newUser(cluster.admin.accountId)) ?? assert.fail()
  const carol = (await world?.newUser(cluster.admin.accountId)) ?? assert.fail()
  const eve = (await world?.newAccount()) ?? assert.fail()
  const call = runningCall('c1', bob)
  enter(cluster, 0, call)
  const here = world?.running.deps.calls.here
  here?.alias('c1', bob.accountId, 'other-name')
  const seen = async (person: Person) => (await cluster.api(1, person).listCalls()).data.map(({ callId }) => callId)
  assert.deepEqual([await seen(cluster.admin), await seen(bob), await seen(carol), await seen(eve)], [['c1'], ['c1'], [], []])
  for (const outsideNumber of [carol, eve])
    for (const callId of ['c1', 'other-name'])
      await assert.rejects(cluster.api(1, outsideNumber).hangUpCall({ callId }), withCode('call_not_found'))
  await cluster.api(1, bob).sendDtmf({ callId: 'other-name' }, { sequence: '1' })
  assert.deepEqual(call.asked, ['dtmf ["1"]'])
  here?.leave('c1')
  for (const callId of ['c1', 'other-name', 'a.b', '*', '>'])
    await assert.rejects(cluster.api(1, bob).hangUpCall({ callId }), { status: 404 })
})

test('lists all calls at every node, and reports when one does not answer', async (t) => {
  const cluster = await startCluster(t)
  for (let call = 0; call < 60; call++) enter(cluster, call % 3, runningCall(`c${call}`, cluster.admin))
  const list = async (at: number) => {
    const { token } = cluster.admin
    const reply = await fetch(`${cluster.processes[at]?.url}/v2/calls`, { headers: { authorization: `Bearer ${token}` } })
    const { data } = (await reply.json()) as { data: { callId: string }[] }
    return { status: reply.status, ids: data.map(({ callId }) => callId), incomplete: reply.headers.get('offhook-incomplete') }
  }
  const lists = await Promise.all([0, 1, 2].map(list))
  for (const one of lists) assert.deepEqual([one.status, new Set(one.ids).size, one.ids.length, one.incomplete], [200, 60, 60, null])
  assert.deepEqual(lists[1], lists[0], 'the order is the same, too')
  // It moved a moment ago, and its former node still shows it.
  enter(
    cluster,
    0,
    runningCall('c1', cluster.admin, {
      epoch: 1,
      status: () => ({ callId: 'c1', muted: true, recording: false, hold: false, participants: [] }),
    }),
  )
  for (const at of [0, 1, 2]) {
    const { data } = await cluster.api(at).listCalls()
    assert.deepEqual([data.length, data.find(({ callId }) => callId === 'c1')?.muted], [60, true])
  }
  cluster.buses[2]?.become('still')
  const left = await list(0)
  assert.deepEqual([left.status, left.ids.length, left.incomplete], [200, 40, '1'])
  cluster.buses[0]?.become('cut')
  const alone = await list(0)
  assert.deepEqual([alone.status, alone.ids.length, alone.incomplete], [200, 21, '2'])
})

test('reports nodes that it has never heard, or no longer hears, as incomplete', async (t) => {
  const cluster = await startCluster(t, { replaced: { pollIntervalMs: 60_000 } })
  for (const at of [0, 1, 2]) enter(cluster, at, runningCall(`c${at}`, cluster.admin))
  const { settings } = cluster
  const list = async (url: string | undefined) => {
    const reply = await fetch(`${url}/v2/calls`, { headers: { authorization: `Bearer ${cluster.admin.token}` } })
    const { data } = (await reply.json()) as { data: unknown[] }
    return [reply.status, data.length, reply.headers.get('offhook-incomplete')]
  }
  const [first, second] = cluster.processes
  const bus = new FaultyBus(cluster.hub)
  bus.become('cut')
  const late = await startWorld(t, { sharedClock: cluster.clock, settings, replaced: { bus, pollIntervalMs: 60_000 } })
  assert.deepEqual(await list(late.url), [200, 0, '3'], 'it has never reached the bus')
  bus.become('still')
  assert.deepEqual(await list(late.url), [200, 3, null], 'it asks nodes that it has not heard yet')
  const alone = await startWorld(t, { sharedClock: cluster.clock, settings, replaced: { pollIntervalMs: 60_000 } })
  assert.deepEqual(await list(alone.url), [200, 0, '4'], 'it has no bus')
  for (const { running } of [late, alone]) await running.close()
  assert.deepEqual(await list(first?.url), [200, 3, null])
  cluster.buses[0]?.become('cut')
  await cluster.clock.advance(20_000)
  assert.deepEqual(await list(first?.url), [200, 1, '2'], 'peers are forgotten after 15 s')
  const known = JSON.stringify([200, 2, '1'])
  await until(
    'the first is known by its heartbeat in the store',
    async () => JSON.stringify(await list(second?.url)) === known || undefined,
  )
})

test('answers not found, moving or unreachable for a call without an answering node', async (t) => {
  const cluster = await startCluster(t, { processes: 2 })
  const [caller, callee] = [await cluster.phone(0), await cluster.phone(0)]
  const { callId, caller: calling, callee: called } = await cluster.connect(caller, callee)
  const [owner, other] = cluster.processes
  await owner?.running.idle()
  const at = { callId }
  const hold = (): Promise<unknown> => outcome(cluster.api(1).holdCall(at, { value: true }))
  const refused = async (status: number, code: string) => {
    const reply = await fetch(`${other?.url}/v2/calls/${callId}/hold`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${cluster.admin.token}`, 'content-type': 'application/json' },
      body: '{"value":true}',
    })
    const body = (await reply.json()) as { code: string }
    assert.deepEqual([reply.status, body.code], [status, code])
    return reply.headers.get('retry-after')
  }
  assert.equal(await hold(), 'done')
  cluster.buses[0]?.become('still')
  await refused(504, 'outcome_unknown')
  cluster.buses[1]?.become('cut')
  assert.equal(await refused(503, 'unavailable'), '1')
  cluster.buses[1]?.become('well')
  cluster.hub.answering.delete(`call.${callId}`) // its node is gone, and no other has taken it over yet
  assert.equal(await inTime(cluster, refused(503, 'call_moving')), '1')
  cluster.buses[0]?.become('well')
  await cluster.api(0).holdCall(at, { value: false })
  await calling.session.end()
  await called.ended
  const { running } = owner ?? assert.fail()
  while (await running.deps.store.read.runningCalls.has(callId)) await running.idle()
  assert.equal(await refused(404, 'call_not_found'), null)
})

test('carries out a command once the call has arrived at another node', async (t) => {
  const cluster = await startCluster(t, { processes: 2 })
  const [caller, callee] = [await cluster.phone(0), await cluster.phone(0)]
  const { callId, caller: calling } = await cluster.connect(caller, callee)
  const [owner] = cluster.processes
  await owner?.running.idle()
  const subject = `call.${callId}`
  /** Claimed by a node that has not resumed it yet. */
  const moves = () => {
    const answering = cluster.hub.answering.get(subject) ?? assert.fail('the call has no node')
    cluster.hub.answering.delete(subject)
    return () => void cluster.hub.answering.set(subject, answering)
  }
  const arrives = moves()
  const holding = outcome(cluster.api(1).holdCall({ callId }, { value: true }))
  await cluster.clock.advance(1_000)
  arrives()
  assert.equal(await inTime(cluster, holding), 'done')
  moves()
  const hangingUp = outcome(cluster.api(1).hangUpCall({ callId }))
  await cluster.clock.advance(1_000)
  await calling.session.end()
  assert.equal(await inTime(cluster, hangingUp), 'done', 'its caller hung up meanwhile')
})

test('sends no bus messages without peer nodes', async (t) => {
  const cluster = await startCluster(t, { processes: 1 })
  enter(cluster, 0, runningCall('c1', cluster.admin))
  const [bus] = cluster.buses
  const before = bus?.sent
  assert.equal((await cluster.api(0).listCalls()).data.length, 1)
  await cluster.api(0).holdCall({ callId: 'c1' }, { value: true })
  assert.equal(bus?.sent, before)
})

test('treats a repeated order at another node as the same, and cancels it there while ringing', async (t) => {
  const cluster = await startCluster(t, { processes: 2 })
  const [caller, callee] = [await cluster.phone(0), await cluster.phone(1)]
  const order = (at: number) =>
    cluster.api(at).startCall({}, { caller: caller.deviceId, callee: callee.deviceId }, { idempotencyKey: 'once' })
  const { sessionId } = await order(0)
  assert.deepEqual(await order(1), { sessionId })
  const { call } = await caller.incoming()
  await assert.rejects(cluster.api(1).holdCall({ callId: sessionId }, { value: true }), { status: 409 })
  await cluster.api(1).hangUpCall({ callId: sessionId })
  await call.ended
  await Promise.all(cluster.processes.map(({ running }) => running.idle()))
  assert.deepEqual(await order(1), { sessionId })
  const { items } = await cluster.api(1).listHistory({ userId: cluster.admin.userId })
  assert.equal(items.length, 1)
})

test('does not wait for a disconnected node, and ignores late commands', async (t) => {
  const cluster = await startCluster(t, { processes: 2 })
  const begun = Promise.withResolvers<void>()
  const hold = (): Promise<void> => {
    begun.resolve()
    return new Promise(() => {})
  }
  const call = runningCall('c1', cluster.admin, { hold })
  enter(cluster, 0, call)
  const { accountId, userId } = cluster.admin
  const caller = { kind: 'user', accountId, userId, admin: true, scopes: ['all'], tokenId: '' }
  const command = { op: 'mute', value: true }
  const until = cluster.clock.now() - 10_000
  const answer = await cluster.buses[1]?.ask('call.c1', { caller, callId: 'c1', command, until })
  assert.equal((answer as { problem: { code: string } }).problem.code, 'outcome_unknown')
  assert.deepEqual(call.asked, [])
  const asked = outcome(cluster.api(1).holdCall({ callId: 'c1' }, { value: true }))
  await begun.promise
  cluster.buses[1]?.become('cut')
  assert.equal(((await asked) as { status: number }).status, 504)
})
