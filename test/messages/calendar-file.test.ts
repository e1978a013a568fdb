import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { calendarFile } from '#core/account/calendars/ics.ts'
import { needs } from '#test/peers/debian.ts'
import { temporaryFolder } from '#test/store/databases.ts'

const run = promisify(execFile)

test('sends calendar files that khal reads: booked, moved and cancelled', async (t) => {
  if (!(await needs(t, 'khal'))) return
  const folder = await temporaryFolder(t)
  const [config, file] = [join(folder, 'config'), join(folder, 'appointment.ics')]
  await mkdir(join(folder, 'calendar'))
  const zone = ['local_timezone = Europe/Berlin', 'default_timezone = Europe/Berlin', 'timeformat = %H:%M']
  const formats = ['dateformat', 'longdateformat'].map((name) => `${name} = %Y-%m-%d`)
  const moments = ['datetimeformat', 'longdatetimeformat'].map((name) => `${name} = %Y-%m-%d %H:%M`)
  const own = ['[calendars]', '[[own]]', `path = ${join(folder, 'calendar')}`, '[sqlite]', `path = ${join(folder, 'khal.db')}`]
  await writeFile(config, [...own, '[locale]', ...zone, ...formats, ...moments, ''].join('\n'))
  const khal = async (...rest: string[]): Promise<string> =>
    (await run('khal', ['-c', config, ...rest], { env: { ...process.env, LC_ALL: 'C.UTF-8' } })).stdout
  const listed = async (): Promise<string[]> => {
    const format = '{start-date} {start-time}-{end-time} {title} {status}|{description}'
    return (await khal('list', '--day-format', '', '--format', format, '2026-11-20', '2d')).trim().split('\n')
  }
  const note = `Käse, Brot; \\ Wein ${'ü'.repeat(60)}`
  const booking = {
    id: 'b1',
    startsAt: Date.parse('2026-11-20T08:00:00Z'),
    endsAt: Date.parse('2026-11-20T08:30:00Z'),
    state: 'CONFIRMED' as const,
    revision: 1,
    note,
  }
  const send = async (change: Partial<Parameters<typeof calendarFile>[0]['booking']>): Promise<void> => {
    await writeFile(file, calendarFile({ booking: { ...booking, ...change }, summary: 'Praxis: Prüfung, lang', now: 1_794_000_000_000 }))
    await khal('import', '--batch', file)
  }
  await send({})
  assert.deepEqual(await listed(), [`2026-11-20 09:00-09:30 Praxis: Prüfung, lang CONFIRMED |${note}`])
  const moved = { startsAt: Date.parse('2026-11-21T12:00:00Z'), endsAt: Date.parse('2026-11-21T12:30:00Z') }
  await send({ ...moved, revision: 2 })
  assert.deepEqual(await listed(), [`2026-11-21 13:00-13:30 Praxis: Prüfung, lang CONFIRMED |${note}`])
  await send({ ...moved, revision: 3, state: 'CANCELLED' })
  assert.deepEqual(await listed(), [`2026-11-21 13:00-13:30 Praxis: Prüfung, lang CANCELLED |${note}`])
})
