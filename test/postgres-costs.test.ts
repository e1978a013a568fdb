// test: own process
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { localBus } from '#adapters/bus/local-bus.ts'
import { postgresStore } from '#adapters/store/postgres-store.ts'
import { DeliveryLog } from '#core/assistant/delivery/attempts/attempt.ts'
import { deliverSessionEnd } from '#core/assistant/delivery/events/deliver-session-end.ts'
import { busChanges } from '#core/kernel/changes/publish-changes.ts'
import { Worker } from '#core/kernel/work/worker.ts'
import { WorkSignals } from '#core/kernel/work/work-signals.ts'
import { RoutingCache } from '#core/kernel/changes/routing-cache.ts'
import { aDelivery } from '#test/store/a-delivery.ts'
import { countPostgres, type CountedPostgres } from '#test/store/counted-postgres.ts'
import { freshPostgres, openTestDatabase } from '#test/store/databases.ts'
import { startWorld } from '#test/world/world.ts'
import { SessionFixture } from '#test/session/session-fixture.ts'
import type { ScriptedLeg } from '#test/ports/scripted-leg.ts'

const callSeconds = 15
const turns = 3

/** The call path as the service wires it, on PostgreSQL. */
const openService = async (t: TestContext) => {
  const bus = localBus()
  const recent = new RoutingCache({
    clock: { now: () => 0, elapsed: () => 0, after: () => () => {} },
    changes: busChanges(bus),
    heard: () => false,
  })
  const news = new WorkSignals()
  const opened = await postgresStore(await freshPostgres())
  const store = recent.over(recent.watch(news.watch(opened)))
  const fixture = new SessionFixture(store, { keepsTimelines: true })
  const { clock, watched } = fixture.exchange
  const log = new DeliveryLog({ store: watched, clock, onError: (error) => assert.fail(String(error)) })
  fixture.endpoints.reply = (event) => {
    const { id, body } = event
    log.record(event, aDelivery(log.newId(), { eventId: id }))
    return body.type === 'user_speak' ? [{ type: 'speak', text: 'Good.' }] : []
  }
  const ends = new Worker({
    store: watched,
    clock,
    queue: (tables) => tables.outbox,
    tasks: { session_end: deliverSessionEnd({ store: watched, endpoints: fixture.endpoints }) },
    retryAfterMs: [],
    concurrency: 100,
    onError: (_, error) => assert.fail(String(error)),
  })
  news.add(ends)
  ends.start()
  await ends.idle()
  t.after(async () => {
    await fixture.close()
    await ends.close()
    await log.close()
    await Promise.all([recent.close(), bus.close()])
    await opened.close()
  })
  return { fixture, idle: () => Promise.all([ends.idle(), log.flush(), fixture.exchange.timelines.flush()]) }
}

const converse = async (fixture: SessionFixture, callers: readonly ScriptedLeg[]): Promise<void> => {
  const conversations = fixture.conversations.slice(-callers.length)
  for (let turn = 0; turn < turns; turn++) {
    await fixture.seconds(callSeconds / turns - 1)
    for (const conversation of conversations) conversation.callerSays('How are you?')
    await fixture.seconds(1)
  }
  for (const caller of callers) caller.hangsUp()
  await fixture.seconds(6)
}

/** Statements that a process batches over all its calls. */
const shared = /"lease"|"job"|timeline|"delivery"|^update "outbox"/

const list = ({ kinds }: CountedPostgres): string =>
  [...kinds].map(([text, calls]) => `${calls} × ${text.replaceAll(/\s+/g, ' ').slice(0, 100)}`).join('\n')

test("keeps an assistant call's PostgreSQL statements within budget", async (t) => {
  const { fixture, idle } = await openService(t)
  const customer = await fixture.newCustomer()
  const callIn = () => fixture.exchange.callIn(customer.number)
  await converse(fixture, [await callIn()])
  await idle()
  const counted = countPostgres(t)
  await converse(fixture, [await callIn()])
  await idle()
  const own = [...counted.kinds].filter(([text]) => !shared.test(text)).reduce((sum, [, count]) => sum + count, 0)
  assert.ok(own <= 9, `${own} statements of its own:\n${list(counted)}`)
  counted.reset()
  const calls = 20
  const callers: ScriptedLeg[] = []
  for (let nth = 0; nth < calls; nth++) callers.push(await callIn())
  await converse(fixture, callers)
  await idle()
  const [statements, transactions] = [counted.statements / calls, counted.transactions / calls]
  assert.ok(statements <= 15, `${statements} statements:\n${list(counted)}`)
  assert.ok(transactions <= 5, `${transactions} transactions:\n${list(counted)}`)
})

test('sends PostgreSQL less than one statement per two seconds when idle', async (t) => {
  const world = await startWorld(t, { database: 'postgres', replaced: { pollIntervalMs: 5_000 } })
  await world.clock.advance(10_000)
  const counted = countPostgres(t)
  await world.clock.advance(60_000)
  assert.ok(counted.transactions <= 30, `${counted.transactions} in a minute:\n${list(counted)}`)
})

test('finds the next due entry at the start of an index, whatever is queued', async (t) => {
  const { store, query } = await openTestDatabase(t, 'postgres')
  await query(`insert into outbox (id, account_id, kind, payload, state, attempts, due_at, leased_until, last_error, created_at)
    select n::text, null, case n % 3 when 0 then 'mail' else 'session_end' end, '{}', 'PENDING', 0, 1000000 + n, 0, '', 0 from generate_series(1, 100000) n`)
  await query(`insert into job (id, kind, payload, due_at, leased_until, attempts)
    select n::text, case n % 3 when 0 then 'lease' else 'kind ' || n % 7 end, '{}', 1000000 + n, 0, 0 from generate_series(1, 100000) n`)
  await query('analyze outbox, job')
  const counted = countPostgres(t)
  const kinds = Array.from({ length: 7 }, (_, nth) => `kind ${nth}`)
  const questions = [
    { queue: 'outbox', kinds: ['session_end'], aheadMs: 0 },
    { queue: 'outbox', kinds: ['mail', 'carrier'], aheadMs: 0 },
    { queue: 'job', kinds: ['lease'], aheadMs: 0 },
    { queue: 'job', kinds, aheadMs: 0 },
  ] as const
  assert.deepEqual(await store.read.dueTimes.next(questions), [1_000_001, 1_000_003, 1_000_003, 1_000_001])
  const { text, values } = counted.last ?? assert.fail()
  // Only the store knows the database URL: repeats the statement with its values inlined.
  const written = text.replaceAll(/\$(\d+)/g, (_, nth: string) => literal(values[Number(nth) - 1]))
  const [row] = await query(`explain (analyze, buffers, format json) ${written}`)
  const [{ Plan: plan }] = (row as { 'QUERY PLAN': [{ Plan: Record<string, number> }] })['QUERY PLAN']
  const pages = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
  assert.ok(pages < 200, `${pages} pages of ${questions.length} questions`)
})

const literal = (value: unknown): string => (typeof value === 'number' ? String(value) : `'${String(value)}'`)
