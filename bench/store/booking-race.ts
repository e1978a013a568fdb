import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient, type Client } from '@offhook/sdk'
import { ApiError } from '@offhook/sdk/client-of.ts'
import { startPostgres } from '#test/store/postgres.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { startChild } from '../shared/child.ts'
import { inScope, openScope } from '../shared/scope.ts'

/**
 * 1,000 callers race for 40 slots, each over REST: hold, then confirm. The service is killed with SIGKILL several times meanwhile. After the last
 * restart no slot may have two bookings, every acknowledged booking must be there, and all slots must be taken. A hold or a booking whose answer
 * the kill took is nobody's fault: its slot is free again when the hold expires, or booked without an acknowledgement.
 */
const callers = 1_000
const slots = 40
const kills = 4
const concurrent = 64
/** Times that a caller asks for before giving up. */
const wishes = 4

interface FirstRun {
  token: string
}

const bin = join(import.meta.dirname, '../../bin/offhook.mjs')
const day = [{ from: '00:00', to: '24:00' }]
const week = Object.fromEntries(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'].map((name) => [name, day]))
const service = 'check'
const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
const starts = Array.from({ length: slots / 2 }, (_, nth) => new Date(Date.parse(tomorrow) + nth * 1_800_000).toISOString())

interface Race {
  calendarId: string
  /** Callers who have no final answer yet. */
  waiting: number[]
  acknowledged: Set<string>
  rejected: number
}

/** False if the connection broke: the caller asks again after the restart, as for a new call. */
const callOnce = async (api: Client, race: Race, caller: number, most = wishes): Promise<boolean> => {
  const { calendarId } = race
  for (let nth = 0; nth < most; nth++) {
    try {
      const { id: bookingId } = await api.createBooking({ calendarId }, { service, start: starts[(caller + nth) % starts.length] ?? '' })
      await api.confirmBooking({ calendarId, bookingId }, { name: `Caller ${caller}` })
      race.acknowledged.add(bookingId)
      return true
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) return false
      if (error.body.code !== 'slot_taken') throw error
    }
  }
  race.rejected++
  return true
}

const callAll = async (api: Client, race: Race, most = wishes): Promise<void> => {
  const unanswered: number[] = []
  const work = async (): Promise<void> => {
    for (let caller = race.waiting.shift(); caller !== undefined; caller = race.waiting.shift())
      if (!(await callOnce(api, race, caller, most))) unanswered.push(caller)
  }
  await Promise.all(Array.from({ length: concurrent }, work))
  race.waiting = unanswered
}

const raceOn = async (name: string, database: Record<string, string>): Promise<void> => {
  const scope = openScope()
  const data = await temporaryFolder(scope)
  const environment = {
    OFFHOOK_HTTP: '127.0.0.1:0',
    OFFHOOK_SIP: '127.0.0.1:0',
    OFFHOOK_DATA: data,
    OFFHOOK_RATE_LIMIT: '0',
    OFFHOOK_SPEECH: 'off',
    OFFHOOK_LOG: 'fatal',
    ...database,
  }
  const race: Race = { calendarId: '', waiting: [...Array(callers).keys()], acknowledged: new Set(), rejected: 0 }
  const started = performance.now()
  for (let round = 0; ; round++) {
    const child = await startChild([bin, 'serve'], environment)
    const first = JSON.parse(await readFile(join(data, 'first-run.json'), 'utf8')) as FirstRun
    const api = createClient({ baseUrl: String(child.ready.http), token: first.token })
    if (round === 0) {
      const people = ['lee', 'kim'].map((id) => ({ id, name: id }))
      const settings = { name: 'Race', timeZone: 'UTC', week, days: [], people, services: [{ id: service, name: service, minutes: 30 }] }
      race.calendarId = (await api.createCalendar({}, { ...settings, stepMinutes: 30, holdMinutes: 1 })).id
    }
    const isLast = round === kills
    const killed = isLast ? undefined : killAt(race, (round + 1) * 6, () => child.stop('SIGKILL'))
    await callAll(api, race)
    await killed
    if (!isLast) continue
    const held = async (): Promise<number> => (await listed(api, race)).filter(({ state }) => state === 'HELD').length
    while ((await held()) > 0) await new Promise((resolve) => setTimeout(resolve, 1_000))
    await callOnceMore(api, race)
    await report(name, api, race, started)
    await child.stop()
    break
  }
  await scope.end()
}

/** In the middle of the race: other callers hold and confirm at that moment. */
const killAt = async ({ acknowledged }: Race, count: number, kill: () => Promise<unknown>): Promise<void> => {
  while (acknowledged.size < count) await new Promise((resolve) => setTimeout(resolve, 1))
  await kill()
}

/** Takes what the killed callers had held. */
const callOnceMore = async (api: Client, race: Race): Promise<void> => {
  race.waiting = Array.from({ length: slots }, (_, nth) => callers + nth)
  await callAll(api, race, starts.length)
}

const listed = async (api: Client, { calendarId }: Race) => {
  const to = new Date(Date.parse(tomorrow) + 86_400_000).toISOString()
  return (await api.listBookings({ calendarId, from: `${tomorrow}T00:00:00Z`, to })).items
}

const report = async (name: string, api: Client, race: Race, started: number): Promise<void> => {
  const stored = await listed(api, race)
  const wanted = stored.filter(({ start }) => starts.includes(start))
  const places = new Set(wanted.map(({ person, start }) => `${person} ${start}`))
  const ids = new Set(stored.map(({ id }) => id))
  const lost = [...race.acknowledged].filter((id) => !ids.has(id)).length
  const twice = wanted.length - places.size
  const seconds = Math.round((performance.now() - started) / 100) / 10
  const figures = { callers, slots, kills, booked: places.size, acknowledged: race.acknowledged.size, rejected: race.rejected, lost, twice }
  console.log(JSON.stringify({ bench: 'booking-race', database: name, ...figures, seconds }))
  if (lost > 0 || twice > 0 || places.size !== slots) process.exitCode = 1
}

await raceOn('sqlite', {})
await inScope(async (scope) => {
  const postgres = await startPostgres()
  scope.after(() => postgres.stop())
  await raceOn('postgres', { DATABASE_URL: postgres.url })
})
