import type { Overflow, RoutingRule } from '@offhook/contract/v1/routing.ts'
import type { TimelineEntryOf } from '@offhook/contract/v2/timeline.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { createGroup } from '#core/account/lines/group.ts'
import type { OfficeHours } from '#core/kernel/ports/store/line.ts'
import { explainRouting } from '#core/telephone/timeline/explained.ts'
import { entriesAfter } from '#core/telephone/timeline/pieces.ts'
import { databases, type Database } from '#test/store/databases.ts'
import { ScriptedAssistant } from '#test/routing/scripted-assistant.ts'
import { openExchange, type Customer, type Exchange } from '#test/routing/scripted-exchange.ts'

const flowId = randomUUID()
const scheduleId = randomUUID()
const week = { from: '09:00', to: '17:00' }
const office: OfficeHours = { timeZone: 'Europe/Berlin', week: { MO: [week], FR: [week] }, days: [] }

interface Office extends Customer {
  exchange: Exchange
  assistant: ScriptedAssistant
  numberId: string
}

/** A customer with office hours and an assistant, at this time. */
const openOffice = async (t: TestContext, at: string, database: Database = 'sqlite', hours = office): Promise<Office> => {
  const assistant = new ScriptedAssistant()
  const exchange = await openExchange(t, { database, flows: assistant, keepsTimelines: true })
  const ada = await exchange.newCustomer()
  await exchange.store.write(async (tables) => {
    await tables.flows.insert(ada.accountId, { id: flowId, name: 'Reception', settings: {} }, 0)
    await tables.schedules.insert(ada.accountId, { id: scheduleId, name: 'Office', updatedAt: 0, ...hours })
  })
  const number = await exchange.store.read.numbers.findByE164(ada.accountId, ada.number)
  setClock(exchange, at)
  return { ...ada, exchange, assistant, numberId: number?.id ?? assert.fail() }
}

const setClock = ({ clock }: Exchange, at: string): void => clock.set(Date.parse(at) - clock.now())

const setRules = (
  { exchange, accountId }: Office,
  target: string,
  rules: Partial<RoutingRule>[],
  overflow: Overflow[] = [],
): Promise<void> =>
  exchange.store.write((tables) =>
    tables.routingRules.put(accountId, target, {
      rules: rules.map((rule) => ({ scheduleId, when: 'CLOSED', action: 'FLOW', ...rule })),
      overflow,
    }),
  )

/** Destination that has the call, or the cause sent to the caller. */
const reached = async ({ exchange, assistant, number }: Office): Promise<string> => {
  const before = assistant.sessions.length
  const caller = await exchange.callIn(number)
  const rings = exchange.ringing.length > 0
  const taken = assistant.sessions.length > before
  const log = caller.log.join(', ')
  caller.hangsUp()
  await exchange.rest()
  return taken ? 'assistant' : rings ? 'line' : log
}

const notes = async ({ exchange, accountId }: Office): Promise<TimelineEntryOf<'routing'>[]> => {
  await exchange.timelines.flush()
  const calls = new Set((await exchange.history({ accountId })).map(({ sessionId }) => sessionId ?? ''))
  const pieces = await Promise.all([...calls].map((callId) => exchange.store.read.timelines.listPieces(accountId, callId, 0, 100)))
  return pieces.flat().flatMap((piece) => [...entriesAfter(piece, 0)].filter((entry) => entry.kind === 'routing'))
}

for (const database of databases)
  test(`${database}: routes to the line until 17:00, then to the assistant, also after DST changes`, async (t) => {
    const shop = await openOffice(t, '2026-03-27T15:59:59Z', database)
    await setRules(shop, shop.line, [{ to: flowId }])
    assert.equal(await reached(shop), 'line')
    for (const [at, who] of [
      ['2026-03-27T16:00:00Z', 'assistant'],
      ['2026-03-30T06:59:59Z', 'assistant'],
      ['2026-03-30T07:00:00Z', 'line'],
      ['2026-03-30T14:59:59Z', 'line'],
      ['2026-03-30T15:00:00Z', 'assistant'],
      ['2026-10-23T14:59:59Z', 'line'],
      ['2026-10-26T15:59:59Z', 'line'],
      ['2026-10-26T16:00:00Z', 'assistant'],
    ] as const) {
      setClock(shop.exchange, at)
      assert.equal(await reached(shop), who, at)
    }
    const [note] = await notes(shop)
    assert.ok(note)
    assert.equal(explainRouting(note, 'en_US'), 'Closed since 17:00 (Office): assistant Reception')
    assert.equal(explainRouting(note, 'de_DE'), 'Geschlossen seit 17:00 Uhr (Office): Assistent Reception')
  })

test('continues a call that started before closing time', async (t) => {
  const shop = await openOffice(t, '2026-11-16T15:59:00Z')
  await setRules(shop, shop.line, [{ to: flowId }])
  const { exchange } = shop
  const caller = await exchange.callIn(shop.number)
  await exchange.seconds(10)
  exchange.phone.answers()
  await exchange.seconds(120)
  assert.deepEqual([caller.answered, caller.over, shop.assistant.sessions.length], [true, undefined, 0])
  caller.hangsUp()
  await exchange.rest()
})

test('applies holidays and the manual override of the day', async (t) => {
  const days = [{ date: '2026-11-16', name: 'Jubilee', open: [] }]
  const shop = await openOffice(t, '2026-11-16T10:00:00Z', 'sqlite', { ...office, days })
  await setRules(shop, shop.line, [{ to: flowId }])
  assert.equal(await reached(shop), 'assistant')
  const { exchange, accountId } = shop
  const switchTo = (state: 'OPEN' | 'CLOSED', until?: number) =>
    exchange.store.write((tables) => tables.schedules.setOverride(accountId, scheduleId, { state, ...(until && { until }) }))
  await switchTo('OPEN', exchange.clock.now() + 60_000)
  assert.equal(await reached(shop), 'line')
  await exchange.seconds(60)
  assert.equal(await reached(shop), 'assistant')
  setClock(exchange, '2026-11-20T10:00:00Z')
  assert.equal(await reached(shop), 'line')
  await switchTo('CLOSED')
  assert.equal(await reached(shop), 'assistant')
  const texts = (await notes(shop)).map((note) => explainRouting(note, 'en_US'))
  assert.deepEqual(
    new Set(texts),
    new Set(['Jubilee: closed (Office): assistant Reception', 'Switched to closed (Office): assistant Reception']),
  )
})

test("applies the rules of the number before the line's, the flow's own rules, and RING as no rule", async (t) => {
  const shop = await openOffice(t, '2026-11-15T10:00:00Z')
  const { exchange, accountId, line, numberId, number } = shop
  await setRules(shop, line, [{ to: flowId }])
  await setRules(shop, numberId, [{ action: 'REFUSE' }])
  assert.equal(await reached(shop), 'hangUp unavailable')
  await setRules(shop, numberId, [{ action: 'RING' }])
  assert.equal(await reached(shop), 'assistant')
  await setRules(shop, line, [{ when: 'OPEN', action: 'REFUSE' }])
  assert.equal(await reached(shop), 'line')
  await setRules(shop, line, [{ action: 'FORWARD', to: number }])
  assert.equal(await reached(shop), 'hangUp loop', 'never endless')
  await exchange.store.write((tables) => tables.numbers.setRouting(accountId, numberId, { flowId }))
  await setRules(shop, flowId, [{ action: 'ANNOUNCE' }])
  await exchange.seconds(1) // calls at the same millisecond have no order
  const caller = await exchange.callIn(number)
  await exchange.seconds(20)
  assert.deepEqual(caller.log, ['openEarly', 'play de/closed', 'hangUp unavailable'])
  assert.equal((await exchange.history(shop))[0]?.status, 'NOPICKUP')
})

test('overflows to the assistant instead of the voicemail after 20 seconds without an answer', async (t) => {
  const shop = await openOffice(t, '2026-11-16T10:00:00Z')
  const { exchange, line } = shop
  await setRules(shop, line, [], [{ after: 20, action: 'FLOW', to: flowId }])
  const caller = await exchange.callIn(shop.number)
  await exchange.seconds(19.9)
  assert.deepEqual([exchange.ringing.length, shop.assistant.sessions.length], [1, 0])
  await exchange.seconds(0.1)
  assert.deepEqual([exchange.ringing.length, shop.assistant.sessions.length], [0, 1])
  caller.hangsUp()
  await exchange.rest()
  assert.deepEqual(
    (await notes(shop)).map((note) => explainRouting(note, 'en_US')),
    ['Nobody answered: assistant Reception'],
  )
  await exchange.callIn(shop.number)
  exchange.phone.refuses('rejected', 603)
  await exchange.rest()
  assert.equal(shop.assistant.sessions.length, 2, 'who declines will not answer')
})

test('applies separate overflows for busy and unreachable, and overflows a group between its members', async (t) => {
  const shop = await openOffice(t, '2026-11-16T10:00:00Z')
  const { exchange, accountId, line, userId, deviceId, numberId } = shop
  await exchange.store.write((tables) => tables.phonelines.update(accountId, line, { busyOnBusy: true }))
  await setRules(
    shop,
    line,
    [],
    [
      { after: 'BUSY', action: 'VOICEMAIL' },
      { after: 'UNREACHABLE', action: 'REFUSE' },
      { after: 30, action: 'FLOW', to: flowId },
    ],
  )
  const first = await exchange.callIn(shop.number)
  exchange.phone.answers()
  await exchange.rest()
  const second = await exchange.callIn(shop.number)
  assert.deepEqual(second.log, ['answer', 'play de/voicemail-greeting'])
  for (const caller of [first, second]) caller.hangsUp()
  await exchange.rest()
  exchange.telephony.register(accountId, deviceId, 0)
  const third = await exchange.callIn(shop.number)
  assert.deepEqual(third.log, ['hangUp unavailable'])

  exchange.telephony.register(accountId, deviceId)
  const group = await exchange.store.write(async (tables) => {
    const other = await exchange.addUser(tables, accountId)
    await exchange.addDevice(tables, accountId, other)
    const made = await createGroup(tables, exchange.clock, accountId, {
      alias: 'Team',
      strategy: 'LINEAR',
      ringSeconds: 15,
      members: [userId, other],
    })
    await tables.numbers.setRouting(accountId, numberId, { endpointId: made })
    return made
  })
  await setRules(shop, group, [], [{ after: 20, action: 'FLOW', to: flowId }])
  await exchange.callIn(shop.number)
  await exchange.seconds(19)
  assert.equal(exchange.ringing.length, 1)
  await exchange.seconds(1)
  assert.equal(shop.assistant.sessions.length, 1)
})
