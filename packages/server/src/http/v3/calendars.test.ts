import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CalendarInput } from '@offhook/contract/v3/calendars.ts'
import { holdSlot } from '#core/account/calendars/book.ts'
import { bothDatabases, databases, startWorld, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const open = [{ from: '09:00', to: '14:00' }]
const practice: CalendarInput = {
  name: 'Practice',
  timeZone: 'Europe/Berlin',
  week: { MO: open, TU: open, WE: open, TH: open, FR: open, SA: open, SU: open },
  days: [],
  services: [
    { id: 'check', name: 'Check-up', minutes: 30 },
    { id: 'long', name: 'Treatment', minutes: 60, after: 30, people: ['lee'] },
  ],
  people: [
    { id: 'lee', name: 'Dr Lee' },
    { id: 'kim', name: 'Dr Kim' },
  ],
  stepMinutes: 30,
}

const minute = 60_000
const day = 24 * 60 * minute

/** 09:00 in Berlin, some days ahead. */
const nine = (world: World, days: number): string => {
  const date = new Date(world.clock.now() + days * day).toISOString().slice(0, 10)
  const hour = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit' }).format(Date.parse(`${date}T08:00:00Z`))
  return `${date}T0${8 - (Number(hour) - 9)}:00:00.000Z`
}

const later = (iso: string, minutes: number): string => new Date(Date.parse(iso) + minutes * minute).toISOString()

for (const database of databases)
  test(`${database}: finds, holds, confirms, moves and cancels`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    await assert.rejects(bob.api.createCalendar({}, practice), { status: 403 })
    const { id: calendarId } = await ada.api.createCalendar({}, practice)
    const start = nine(world, 1)
    const slots = (service = 'check') => bob.api.findFreeSlots({ calendarId, service, from: start, days: 1, language: 'en-US' })
    assert.deepEqual((await slots()).items[0], {
      start,
      end: later(start, 30),
      people: ['lee', 'kim'],
      spoken: (await slots()).spoken.split(/,(?= 9:30)/)[0],
    })
    const held = await bob.api.createBooking({ calendarId }, { service: 'check', start, name: 'Grace' })
    assert.deepEqual([held.state, held.person, held.holdUntil], ['HELD', 'lee', new Date(world.clock.now() + 5 * minute).toISOString()])
    const other = await bob.api.createBooking({ calendarId }, { service: 'check', start, confirm: true })
    assert.deepEqual([other.state, other.person], ['CONFIRMED', 'kim'])
    await assert.rejects(bob.api.createBooking({ calendarId }, { service: 'check', start }), withCode('slot_taken'))
    assert.deepEqual((await slots()).items[0]?.start, later(start, 30))

    const bookingId = held.id
    const confirmed = await bob.api.confirmBooking({ calendarId, bookingId }, { phone: '+4915112345678' })
    assert.deepEqual(
      [confirmed.state, confirmed.name, confirmed.phone, confirmed.holdUntil],
      ['CONFIRMED', 'Grace', '+4915112345678', undefined],
    )
    await world.clock.advance(10 * minute)
    assert.equal((await bob.api.getBooking({ calendarId, bookingId })).state, 'CONFIRMED')

    await assert.rejects(bob.api.moveBooking({ calendarId, bookingId }, { start: later(start, 7) }), withCode('slot_taken'))
    assert.equal((await bob.api.getBooking({ calendarId, bookingId })).start, start)
    const moved = await bob.api.moveBooking({ calendarId, bookingId }, { start: later(start, 60) })
    assert.deepEqual([moved.start, moved.person, moved.revision], [later(start, 60), 'lee', 2])
    const long = { service: 'long', start: later(start, 30) } // with what stays free after it until 11:00
    await assert.rejects(bob.api.createBooking({ calendarId }, long), withCode('slot_taken'))
    await bob.api.cancelBooking({ calendarId, bookingId })
    await bob.api.cancelBooking({ calendarId, bookingId })
    await assert.rejects(bob.api.confirmBooking({ calendarId, bookingId }, {}), withCode('booking_cancelled'))
    await bob.api.createBooking({ calendarId }, { ...long, confirm: true })
    const listed = await bob.api.listBookings({ calendarId, from: start, to: later(start, 600) })
    assert.deepEqual(
      listed.items.map(({ service, person }) => `${service} ${person}`),
      ['check kim', 'long lee'],
    )

    for (const call of ['getCalendar', 'deleteCalendar'] as const)
      await assert.rejects(eve.api[call]({ calendarId }), withCode('calendar_not_found'))
    await assert.rejects(eve.api.getBooking({ calendarId, bookingId }), withCode('calendar_not_found'))
    await assert.rejects(eve.api.createBooking({ calendarId }, { service: 'check', start }), withCode('calendar_not_found'))
    await ada.api.deleteCalendar({ calendarId })
    assert.deepEqual((await ada.api.listCalendars()).items, [])
  })

test('frees a slot whose hold has expired, and deletes the hold', async (t) => {
  const world = await startWorld(t)
  const { api } = await world.newAccount()
  const { id: calendarId } = await api.createCalendar({}, { ...practice, holdMinutes: 2 })
  const start = nine(world, 1)
  const input = { service: 'check', person: 'lee', start }
  const { id: bookingId } = await api.createBooking({ calendarId }, input)
  await assert.rejects(api.createBooking({ calendarId }, input), withCode('slot_taken'))
  await world.clock.advance(2 * minute)
  await assert.rejects(api.confirmBooking({ calendarId, bookingId }, {}), withCode('hold_expired'))
  const next = await api.createBooking({ calendarId }, input)
  await assert.rejects(api.getBooking({ calendarId, bookingId }), withCode('booking_not_found'))
  await world.clock.advance(15 * minute)
  await assert.rejects(api.getBooking({ calendarId, bookingId: next.id }), withCode('booking_not_found'))
})

for (const database of bothDatabases)
  test(`${database}: gives 40 slots to 40 of 200 racing callers, each slot once`, async (t) => {
    const world = await startWorld(t, { database })
    const { api, accountId } = await world.newAccount()
    const { id: calendarId } = await api.createCalendar({}, practice)
    const starts = [...Array(20).keys()].map((nth) => later(nine(world, 1 + (nth >= 10 ? 1 : 0)), (nth % 10) * 30))
    const race = (nth: number): Promise<boolean> =>
      world
        .write((tables) =>
          holdSlot(
            tables,
            { accountId, calendarId, now: world.clock.now() },
            {
              id: `race-${nth}`,
              service: 'check',
              person: undefined,
              startsAt: Date.parse(starts[nth % 20] ?? ''),
              isConfirmed: nth % 2 === 0,
              name: undefined,
              phone: undefined,
              email: undefined,
              note: undefined,
              callId: undefined,
            },
          ),
        )
        .then(
          () => true,
          (error: unknown) => {
            assert.ok(withCode('slot_taken')(error), String(error))
            return false
          },
        )
    const won = await Promise.all([...Array(200).keys()].map(race))
    assert.equal(won.filter(Boolean).length, 40)
    const { items } = await api.listBookings({ calendarId, from: starts[0] ?? '', to: later(starts[19] ?? '', 60) })
    assert.equal(items.length, 40)
    assert.equal(new Set(items.map(({ person, start }) => `${person} ${start}`)).size, 40)
  })

for (const database of bothDatabases)
  test(`${database}: takes no cell twice, even without the lock`, async (t) => {
    const world = await startWorld(t, { database })
    const { api } = await world.newAccount()
    const { id: calendarId } = await api.createCalendar({}, practice)
    const { id } = await api.createBooking({ calendarId }, { service: 'check', person: 'lee', start: nine(world, 1), confirm: true })
    const busyFrom = Date.parse(nine(world, 1)) + 25 * minute
    const cells = { id, calendarId, person: 'lee', busyFrom, busyTo: busyFrom + 30 * minute }
    assert.equal(await world.write(({ bookings }) => bookings.takeCells(cells)), false)
    assert.equal(await world.write(({ bookings }) => bookings.takeCells({ ...cells, person: 'kim' })), true)
  })

test('finds the own booking of a request that is repeated after its answer was lost', async (t) => {
  const world = await startWorld(t)
  const { api, accountId } = await world.newAccount()
  const { id: calendarId } = await api.createCalendar({}, practice)
  const nobody = { name: undefined, phone: undefined, email: undefined, note: undefined, callId: undefined }
  const input = { id: 'same', service: 'check', person: 'lee', startsAt: Date.parse(nine(world, 1)), isConfirmed: true, ...nobody }
  const hold = () => world.write((tables) => holdSlot(tables, { accountId, calendarId, now: world.clock.now() }, input))
  assert.deepEqual(await hold(), await hold())
  await assert.rejects(
    world.write((tables) => holdSlot(tables, { accountId, calendarId, now: world.clock.now() }, { ...input, id: 'other' })),
    withCode('slot_taken'),
  )
})

test('rejects invalid settings and times, and names the field', async (t) => {
  const world = await startWorld(t)
  const { api } = await world.newAccount()
  const [lee] = practice.people
  assert.ok(lee)
  for (const [change, field] of [
    [{ people: [lee, lee] }, 'people/1/id'],
    [{ services: [{ id: 'x', name: 'X', minutes: 30, people: ['nobody'] }] }, 'services/0/people'],
    [{ people: [{ ...lee, week: { MO: [{ from: '09:00', to: '09:05' }] } }] }, 'people/0/week/MO'],
    [{ timeZone: 'Mars' }, 'timeZone'],
    [{ services: [{ id: 'x', name: 'X', minutes: 7 }] }, 'services/0/minutes'],
  ] as const) {
    const input = { ...practice, services: [{ id: 'x', name: 'X', minutes: 30 }], ...change } as CalendarInput
    await assert.rejects(api.createCalendar({}, input), withCode('parameter_invalid', field))
  }
  const { id: calendarId } = await api.createCalendar({}, practice)
  for (const wrong of [
    { service: 'nothing', start: nine(world, 1) },
    { service: 'long', person: 'kim', start: nine(world, 1) },
    { service: 'check', start: 'soon' },
  ])
    await assert.rejects(api.createBooking({ calendarId }, wrong), { status: 400 })
  await assert.rejects(api.createBooking({ calendarId }, { service: 'check', start: nine(world, 90) }), withCode('slot_taken'))
})
