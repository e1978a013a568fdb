import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const office = {
  name: 'Office',
  timeZone: 'Europe/Berlin',
  week: { MO: [{ from: '09:00', to: '17:00' }] },
  days: [{ date: '2026-12-24', name: 'Christmas Eve', open: [] }],
}

for (const database of databases)
  test(`${database}: lets administrators write schedules, and all users read and override them`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    await assert.rejects(bob.api.createSchedule({}, office), { status: 403 })
    const { id: scheduleId } = await ada.api.createSchedule({}, office)
    const [shown] = (await bob.api.listSchedules()).items
    assert.deepEqual([shown?.name, shown?.week, shown?.override, shown?.usedBy], ['Office', office.week, null, []])
    assert.deepEqual((await eve.api.listSchedules()).items, [])
    for (const call of ['getSchedule', 'deleteSchedule', 'getScheduleState'] as const)
      await assert.rejects(eve.api[call]({ scheduleId }), withCode('schedule_not_found'))

    const state = (at: string) => bob.api.getScheduleState({ scheduleId, at })
    assert.deepEqual(await state('2026-11-16T16:30:00Z'), {
      open: false,
      because: 'WEEK',
      since: '17:00',
      changesAt: '2026-11-23T08:00:00.000Z',
      dayEndsAt: '2026-11-16T23:00:00.000Z',
    })
    assert.deepEqual([(await state('2026-12-24T10:00:00Z')).name, (await state('2026-11-16T15:59:59Z')).open], ['Christmas Eve', true])
    await assert.rejects(state('yesterday'), { status: 400 })

    const until = new Date(world.clock.now() + 3_600_000).toISOString()
    await bob.api.overrideSchedule({ scheduleId }, { state: 'OPEN', until })
    assert.deepEqual((await ada.api.getSchedule({ scheduleId })).override, { state: 'OPEN', until })
    await ada.api.changeSchedule({ scheduleId }, { ...office, name: 'Shop' })
    const changed = await ada.api.getSchedule({ scheduleId })
    assert.deepEqual([changed.name, changed.state.open, changed.state.because], ['Shop', true, 'OVERRIDE'])
    await bob.api.overrideSchedule({ scheduleId }, { state: null })
    assert.equal((await ada.api.getSchedule({ scheduleId })).override, null)
    await assert.rejects(bob.api.overrideSchedule({ scheduleId }, { state: 'OPEN', until: '2001-01-01T00:00:00Z' }), { status: 400 })
    await ada.api.deleteSchedule({ scheduleId })
    await assert.rejects(ada.api.getSchedule({ scheduleId }), withCode('schedule_not_found'))
  })

test('rejects an invalid schedule and names the field', async (t) => {
  const world = await startWorld(t)
  const { api } = await world.newAccount()
  const at = (from: string, to: string) => ({ week: { MO: [{ from, to }] } })
  for (const [wrong, field] of [
    [{ timeZone: 'Europe/Atlantis' }, 'timeZone'],
    [at('09:00', '09:10'), 'week/MO'],
    [at('25:00', '26:00'), 'week/MO/0/from'],
    [
      {
        week: {
          MO: [
            { from: '09:00', to: '12:00' },
            { from: '11:00', to: '13:00' },
          ],
        },
      },
      'week/MO',
    ],
    [{ days: [{ date: '2027-02-29', name: 'Leap', open: [] }] }, 'days/0/date'],
    [{ days: [1, 2].map(() => ({ date: '--12-24', name: 'Eve', open: [] })) }, 'days/1/date'],
  ] as const)
    await assert.rejects(api.createSchedule({}, { ...office, ...(wrong as object) }), withCode('parameter_invalid', field))
  assert.equal((await api.listHolidays({ country: 'DE', region: 'SN', year: 2027 })).items.length, 12)
  await assert.rejects(api.listHolidays({ country: 'FR', year: 2027 }), withCode('country_unknown'))
})
