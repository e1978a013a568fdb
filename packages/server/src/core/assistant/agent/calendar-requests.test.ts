import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { CalendarInput } from '@offhook/contract/v3/calendars.ts'
import { openSession } from '../session/write-end.ts'
import { startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'
import { AgentInputs, Rehearsals, type OrderSms } from './agent-requests.ts'
import type { CalendarAnswer, CalendarRequest } from './calendar-requests.ts'

const open = [{ from: '09:00', to: '18:00' }]
const practice: CalendarInput = {
  name: 'Practice',
  timeZone: 'Europe/Berlin',
  week: { MO: open, TU: open, WE: open, TH: open, FR: open },
  days: [],
  services: [
    { id: 'check', name: 'Check-up', minutes: 30 },
    { id: 'secret', name: 'Internal', minutes: 30 },
  ],
  people: [{ id: 'lee', name: 'Dr Lee' }],
  stepMinutes: 30,
}

type Rules = NonNullable<NonNullable<AssistantSettings['tools']>['calendar']>

/** Clock at Sunday, 15 November 2026, midnight UTC. */
const withCalendar = async (t: TestContext, rules: Partial<Rules> = {}) => {
  const world = await startWorld(t)
  const { api, accountId } = await world.newAccount()
  const { id: calendarId } = await api.createCalendar({}, practice)
  const { id: flowId } = await api.createFlow({}, { name: 'Reception' })
  const settings: AssistantSettings = {
    greeting: 'Hello.',
    prompt: '',
    tools: { calendar: { calendar: calendarId, services: ['check'], mail: true, sms: true, ...rules } },
  }
  await api.changeAssistant({ aiFlowId: flowId }, { settings })
  await api.publishAssistant({ aiFlowId: flowId }, {})
  const texts: string[] = []
  const { store, vault, clock, wake } = world.running.deps
  const orderSms: OrderSms = async ({ recipient, text }) => void texts.push(`${recipient} ${text}`)
  const rehearsals = new Rehearsals()
  const inputs = new AgentInputs({ store, vault, clock, orderSms, rehearsals, wake, onError: (error) => assert.fail(String(error)) })
  /** A call from this number, which asks the calendar. */
  const call = async (from = '491700000001', assistant: number | 'draft' = 1) => {
    const id = randomUUID()
    const session = { id, account_id: accountId, phone_number: '4921100', direction: 'inbound', from_phone_number: from } as const
    await world.write((tables) => openSession(tables, { id, accountId, flowId, session, startedAt: clock.now(), owner: 'run', assistant }))
    return (request: CalendarRequest, language = 'en-US'): Promise<CalendarAnswer> => inputs.calendar(id, language, request)
  }
  const bookings = async (): Promise<string[]> => {
    const { items } = await api.listBookings({ calendarId, from: '2026-11-15T00:00:00Z', to: '2026-12-15T00:00:00Z' })
    return items.map(({ start, state, name = '–', phone }) => `${start.slice(5, 16)} ${state} ${name} ${phone}`)
  }
  const mails = async (): Promise<string[]> => {
    await world.clock.advance(0)
    const folder = join(world.data, 'mail')
    const files = (await readdir(folder).catch((): string[] => [])).toSorted()
    return Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  }
  return { world, api, accountId, flowId, calendarId, call, bookings, mails, texts, inputs, rehearsals, settings }
}

const find = { do: 'find', service: undefined, person: undefined, day: undefined, days: undefined, part: undefined } as const
const hold = (start: string) => ({ do: 'hold', start, service: undefined, person: undefined }) as const
const book = { do: 'book', name: 'Grace', email: undefined, note: undefined } as const

const done = (answer: CalendarAnswer): Record<string, unknown> => {
  assert.ok('done' in answer, JSON.stringify(answer))
  return answer.done
}
const why = (answer: CalendarAnswer): string => ('refused' in answer ? answer.refused : assert.fail(JSON.stringify(answer)))

test('offers few times, in words, and holds, books and sends the chosen one', async (t) => {
  const { call, bookings, mails, texts } = await withCalendar(t)
  const ask = await call()
  const free = done(await ask({ ...find, part: 'afternoon' }))
  assert.deepEqual(free['free'], [
    ...['12:00', '13:00', '14:30', '15:30'].map((time) => ({ start: `2026-11-16T${time}`, people: ['Dr Lee'] })),
    ...['12:00', '13:00', '14:30', '15:30'].map((time) => ({ start: `2026-11-17T${time}`, people: ['Dr Lee'] })),
    ...['12:00', '13:00', '14:30', '15:30'].map((time) => ({ start: `2026-11-18T${time}`, people: ['Dr Lee'] })),
  ])
  assert.equal(String(free['say']).split(';')[0], 'tomorrow, Monday, at 12 pm, 1 pm, 2:30 pm, or 3:30 pm')
  const german = done(await ask({ ...find, day: '2026-11-20', days: 1 }, 'de-DE'))
  assert.match(
    String(german['say']),
    /^Freitag, den 20. November, um 9 Uhr, 11 Uhr,? .* oder 16 Uhr 30$|^Freitag, den 20\. November, um 9 Uhr/,
  )
  const weekend = done(await ask({ ...find, day: '2026-11-21', days: 1 }))
  assert.deepEqual([weekend['note'], (weekend['free'] as unknown[]).length], ['Nothing is free then. These are the next free times.', 8])

  assert.match(why(await ask(book)), /Nothing is held/)
  assert.equal(done(await ask(hold('2026-11-16T12:00')))['minutes'], 5)
  const { say, booking, mailed, texted } = done(await ask({ ...book, email: 'grace@example.com' }))
  assert.deepEqual([say, mailed, texted], ['tomorrow, Monday, at 12 pm', true, true])
  assert.deepEqual(await bookings(), ['11-16T11:00 CONFIRMED Grace +491700000001'])
  assert.deepEqual(texts, ['+491700000001 Practice: Check-up, Monday, November 16, 2026 at 12:00 PM'])
  const [mail = ''] = await mails()
  assert.match(mail, /^To: grace@example.com$/m)
  const file = Buffer.from(/appointment\.ics[^]*?\n\n([A-Za-z0-9+/=\n]+)/.exec(mail)?.[1] ?? '', 'base64').toString()
  assert.match(file, new RegExp(`UID:${String(booking)}@offhook\r\n[^]*DTSTART:20261116T110000Z\r\n[^]*STATUS:CONFIRMED`))

  done(await ask({ do: 'move', booking: String(booking), start: '2026-11-16T13:00' }))
  done(await ask({ do: 'cancel', booking: String(booking) }))
  assert.deepEqual([(await bookings()).length, (await mails()).length], [0, 3])
  assert.match((await mails())[2] ?? '', /^Subject: Cancelled: Practice/m)
})

test('gives a time to one of two callers, and names free ones near it to the other', async (t) => {
  const { call, bookings } = await withCalendar(t)
  const [ann, bob] = [await call(), await call('491700000002')]
  done(await ann(hold('2026-11-16T12:00')))
  assert.match(
    why(await bob(hold('2026-11-16T12:00'))),
    /^This time is not free. Free near it: 2026-11-16T11:00 .*; 2026-11-16T11:30 \(tomorrow, Monday, at 11:30 am\); 2026-11-16T12:30 /,
  )
  done(await ann(hold('2026-11-16T15:00'))) // releases the first one
  done(await bob(hold('2026-11-16T12:00')))
  done(await bob({ ...book, name: 'Bob' }))
  done(await ann(book))
  assert.deepEqual(await bookings(), ['11-16T11:00 CONFIRMED Bob +491700000002', '11-16T14:00 CONFIRMED Grace +491700000001'])
})

test('keeps a caller to the settings, to own bookings and to times that exist', async (t) => {
  const { call, calendarId, api } = await withCalendar(t, { per_call: 1, changes: 'number' })
  const [ann, bob] = [await call(), await call('491700000002')]
  assert.match(
    why(await ann({ ...hold('2026-11-16T12:00'), service: 'secret' })),
    /Name one of these services: check \(Check-up, 30 minutes\)/,
  )
  for (const start of ['2026-11-16T12:07', '2026-11-15T12:00', '2026-11-16T03:00']) assert.match(why(await ann(hold(start))), /not free/)
  assert.match(why(await ann(hold('2026-02-30T12:00'))), /must be a time/)
  done(await ann(hold('2026-11-16T12:00')))
  assert.match(why(await ann({ ...book, email: 'evil@example.com, all@example.com' })), /no e-mail address/)
  const { booking } = done(await ann(book))
  assert.match(why(await ann(hold('2026-11-16T13:00'))), /No more can be booked/)
  assert.match(why(await bob({ do: 'cancel', booking: String(booking) })), /no such booking/)
  assert.deepEqual(done(await bob({ do: 'list' })), { bookings: [] })
  const again = await call() // the same number, another call
  assert.equal((done(await again({ do: 'list' }))['bookings'] as unknown[]).length, 1)
  done(await again({ do: 'cancel', booking: String(booking) }))
  await api.deleteCalendar({ calendarId })
  assert.match(why(await ann(find)), /does not exist any more/)
})

test('stores nothing in a test conversation, and sends nothing while an assistant is tried', async (t) => {
  const { call, inputs, rehearsals, accountId, flowId, bookings, mails, texts } = await withCalendar(t)
  const end = rehearsals.begin('test-1', { accountId, flowId, choice: 1, tools: [] })
  const ask = (request: CalendarRequest): Promise<CalendarAnswer> => inputs.calendar('test-1', 'en-US', request)
  assert.match(why(await ask(book)), /Nothing is held/)
  done(await ask(hold('2026-11-16T12:00')))
  assert.match(why(await ask(hold('2026-11-16T12:07'))), /not free/)
  assert.equal(done(await ask(book))['say'], 'tomorrow, Monday, at 12 pm')
  assert.deepEqual(await bookings(), [])
  end()
  const tried = await call('491700000001', 'draft')
  done(await tried(hold('2026-11-16T12:00')))
  assert.equal(done(await tried({ ...book, email: 'grace@example.com' }))['mailed'], false)
  assert.deepEqual([(await bookings()).length, await mails(), texts], [1, [], []])
})

test('rejects settings that name no calendar or service of the account', async (t) => {
  const { api, flowId, settings, world } = await withCalendar(t)
  const eve = await world.newAccount()
  const { id } = await eve.api.createCalendar({}, practice)
  for (const [change, field] of [
    [{ calendar: id }, 'tools/calendar/calendar'],
    [{ services: ['other'] }, 'tools/calendar/services'],
  ] as const) {
    const calendar = {
      ...(settings.tools?.calendar as Rules),
      ...change,
      services: [...(('services' in change && change.services) || ['check'])],
    }
    const wrong = { settings: { ...settings, tools: { calendar } } }
    await assert.rejects(api.changeAssistant({ aiFlowId: flowId }, wrong), withCode('parameter_invalid', field))
  }
})
