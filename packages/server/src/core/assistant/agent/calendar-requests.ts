import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import { cancelBooking, confirmBooking, holdSlot, moveBooking } from '#core/account/calendars/book.ts'
import { freeSlots, localMoments, type Service, type Slot } from '#core/account/calendars/free-slots.ts'
import { spokenTime, spokenTimes } from '#core/account/calendars/spoken.ts'
import { localTime, minuteMs } from '#core/account/schedules/evaluate.ts'
import { isDay, localDay, startOfDay } from '#core/kernel/local-day.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Booking, Calendar } from '#core/kernel/ports/store/calendar.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { mailBooking, writtenBooking } from './booking-mail.ts'

type Rules = NonNullable<NonNullable<AssistantSettings['tools']>['calendar']>

interface CalendarDeps {
  store: Store
  clock: Clock
  vault: Vault
  /** Called after an insert into the outbox. */
  wake: () => void
}

/** The call that asks. */
interface CalendarWork {
  accountId: string
  callId: string
  /** Number of the caller (E.164). */
  caller: string | undefined
  rules: Rules
  /** BCP 47, of the words for times. */
  language: string
  /** The test conversation, in which nothing is stored. */
  rehearsal: object | undefined
  /** Whether mails and SMS may be sent. */
  sends: boolean
  /** Sends an SMS to the caller; false if it cannot be sent. */
  sendSms: (text: string) => Promise<boolean>
}

/** What the calendar is asked for. Local times of the calendar: 2027-01-31T14:30. */
export type CalendarRequest =
  | {
      do: 'find'
      service: string | undefined
      person: string | undefined
      day: string | undefined
      days: number | undefined
      part: 'morning' | 'afternoon' | 'evening' | undefined
    }
  | { do: 'hold'; start: string; service: string | undefined; person: string | undefined }
  | { do: 'book'; name: string; email: string | undefined; note: string | undefined }
  | { do: 'list' }
  | { do: 'move'; booking: string; start: string }
  | { do: 'cancel'; booking: string }

type RequestTo<D extends CalendarRequest['do']> = Extract<CalendarRequest, { do: D }>

/** `done`: content for the model. */
export type CalendarAnswer = { done: Record<string, unknown> } | { refused: string }

const refused = (why: string): CalendarAnswer => ({ refused: why })
const dayMs = 24 * 60 * minuteMs
const defaults = { perCall: 2, days: 7 }
const horizonDays = 31
const emailPattern = /^[^\s@"<>,;:\p{Cc}]{1,64}@[^\s@"<>,;:\p{Cc}]{1,180}\.[\p{L}\d-]{2,}$/u

/** Requests of an agent to the calendar of its settings. Nothing the model says is trusted: the transaction decides which time is free. */
export class CalendarRequests {
  readonly #deps: CalendarDeps
  /** What a test conversation holds. */
  readonly #rehearsed = new WeakMap<object, Booking>()

  constructor(deps: CalendarDeps) {
    this.#deps = deps
  }

  async answer(work: CalendarWork, request: CalendarRequest): Promise<CalendarAnswer> {
    const calendar = await this.#deps.store.read.calendars.find(work.accountId, work.rules.calendar)
    if (!calendar) return refused('The calendar of this assistant does not exist any more.')
    try {
      if (request.do === 'find') return await this.#find(work, calendar, request)
      if (request.do === 'hold') return await this.#hold(work, calendar, request)
      if (request.do === 'book') return await this.#book(work, calendar, request)
      return await this.#change(work, calendar, request)
    } catch (error) {
      if (error instanceof Problem) return refused(error.message)
      throw error
    }
  }

  async #find(
    work: CalendarWork,
    calendar: Calendar,
    { service: id, person, day, days, part }: RequestTo<'find'>,
  ): Promise<CalendarAnswer> {
    const service = serviceOf(calendar, work.rules, id)
    if (typeof service === 'string') return refused(service)
    const { timeZone } = calendar.settings
    const now = this.#deps.clock.now()
    if (day !== undefined && !isDay(day)) return refused('The day must be a date such as 2027-01-31.')
    const from = day === undefined ? now : startOfDay(day, timeZone)
    const isWanted = (at: number): boolean => part === undefined || partOf(localTime(at, timeZone).minute) === part
    const within = (window: number) => this.#free(work, calendar, { service, person, from, days: window, isWanted })
    const wanted = await within(Math.min(days ?? defaults.days, horizonDays))
    const found = wanted.length > 0 ? wanted : await within(horizonDays)
    const offered = offer(found, timeZone, days === 1)
    const listening = { language: work.language, timeZone, now }
    const shown = offered.map(({ startsAt, people }) => ({ start: localText(startsAt, timeZone), people: namesOf(calendar, people) }))
    const say = spokenTimes(
      offered.map(({ startsAt }) => startsAt),
      listening,
    )
    const none = offered.length === 0 && { note: `Nothing is free within ${horizonDays} days.` }
    const later = wanted.length === 0 && offered.length > 0 && { note: 'Nothing is free then. These are the next free times.' }
    return { done: { service: service.id, minutes: service.minutes, free: shown, say, ...none, ...later } }
  }

  async #free(
    { accountId }: CalendarWork,
    { id, settings }: Calendar,
    {
      service,
      person,
      from,
      days,
      isWanted,
    }: { service: Service; person: string | undefined; from: number; days: number; isWanted: (at: number) => boolean },
  ): Promise<Slot[]> {
    const { store, clock } = this.#deps
    const to = from + days * dayMs
    const bookings = await store.read.bookings.listBetween(accountId, id, from - dayMs, to + dayMs)
    const all = freeSlots(settings, { service, person, from, to, now: clock.now(), limit: 500, bookings })
    return all.filter(({ startsAt }) => isWanted(startsAt))
  }

  /** A caller holds one time: the next one releases it. */
  async #hold(work: CalendarWork, calendar: Calendar, { start, service: id, person }: RequestTo<'hold'>): Promise<CalendarAnswer> {
    const service = serviceOf(calendar, work.rules, id)
    if (typeof service === 'string') return refused(service)
    const startsAt = momentOf(start, calendar)
    if (startsAt === undefined) return refused('The start must be a time that find_times gave, such as 2027-01-31T14:30.')
    const { accountId, callId, rules } = work
    try {
      const held = await this.#write(work, async (tables, now) => {
        const own = await tables.bookings.listUpcoming(accountId, calendar.id, { callId }, now)
        const booked = own.filter((one) => one.state === 'CONFIRMED' && one.callId === callId)
        if (booked.length >= (rules.per_call ?? defaults.perCall)) throw new Problem('conflict', 'No more can be booked in this call.')
        for (const one of own) if (one.state === 'HELD') await tables.bookings.remove(accountId, one.id)
        const nobody = { name: undefined, phone: work.caller, email: undefined, note: undefined }
        const input = { id: randomUUID(), service: service.id, person, startsAt, isConfirmed: false, callId, ...nobody }
        return holdSlot(tables, { accountId, calendarId: calendar.id, now }, input)
      })
      if (work.rehearsal) this.#rehearsed.set(work.rehearsal, held)
      const until = Math.round(((held.holdUntil ?? 0) - this.#deps.clock.now()) / minuteMs)
      return { done: { held: true, minutes: until, ...this.#shown(work, calendar, held) } }
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'slot_taken') throw error
      const near = await this.#free(work, calendar, { service, person, from: startsAt - dayMs / 2, days: 2, isWanted: () => true })
      const nearest = near.toSorted((a, b) => Math.abs(a.startsAt - startsAt) - Math.abs(b.startsAt - startsAt)).slice(0, 3)
      const times = nearest.map((one) => one.startsAt).toSorted((a, b) => a - b)
      const { timeZone } = calendar.settings
      const listening = { language: work.language, timeZone, now: this.#deps.clock.now() }
      const free = times.map((at) => `${localText(at, timeZone)} (${spokenTime(at, listening)})`)
      return refused(`This time is not free.${free.length > 0 ? ` Free near it: ${free.join('; ')}.` : ' Use find_times.'}`)
    }
  }

  async #book(work: CalendarWork, calendar: Calendar, { name, email, note }: RequestTo<'book'>): Promise<CalendarAnswer> {
    if (email !== undefined && !emailPattern.test(email)) return refused('This is no e-mail address. Ask for it again, or leave it out.')
    const { accountId, callId, caller, rehearsal } = work
    const nothing = 'Nothing is held. Use hold_time first, and book_time then.'
    if (rehearsal) {
      const held = this.#rehearsed.get(rehearsal)
      return held ? { done: { booked: true, ...this.#shown(work, calendar, held) } } : refused(nothing)
    }
    const booking = await this.#write(work, async (tables, now) => {
      const place = { accountId, calendarId: calendar.id, now }
      const own = await tables.bookings.listUpcoming(accountId, calendar.id, { callId }, now)
      const held = own.find(({ state }) => state === 'HELD')
      if (!held) throw new Problem('conflict', nothing)
      const visitor = { name: name.slice(0, 200), phone: caller, email, note: note?.slice(0, 500) }
      const confirmed = await confirmBooking(tables, place, held.id, visitor)
      if (work.sends && work.rules.mail === true) await mailBooking(tables, this.#deps, { ...work, calendar, booking: confirmed })
      return confirmed
    })
    const mailed = work.sends && work.rules.mail === true && email !== undefined
    if (mailed) this.#deps.wake()
    const texted = work.sends && work.rules.sms === true && (await work.sendSms(writtenBooking(calendar, booking, work.language)))
    return { done: { booked: true, ...this.#shown(work, calendar, booking), mailed, texted } }
  }

  async #change(work: CalendarWork, calendar: Calendar, request: RequestTo<'list' | 'move' | 'cancel'>): Promise<CalendarAnswer> {
    const { accountId, callId, caller, rules } = work
    if (rules.changes === 'off') return refused('This assistant may not change bookings.')
    const whose = { callId, ...(rules.changes === 'number' && caller !== undefined && { phone: caller }) }
    const listOwn = async (tables: Tables, now: number): Promise<Booking[]> =>
      (await tables.bookings.listUpcoming(accountId, calendar.id, whose, now)).filter(({ state }) => state === 'CONFIRMED')
    if (request.do === 'list') {
      const own = await listOwn(this.#deps.store.read, this.#deps.clock.now())
      return { done: { bookings: own.map((one) => this.#shown(work, calendar, one)) } }
    }
    const startsAt = request.do === 'move' ? momentOf(request.start, calendar) : undefined
    if (request.do === 'move' && startsAt === undefined) return refused('The start must be a time such as 2027-01-31T14:30.')
    const changed = await this.#write(work, async (tables, now) => {
      const place = { accountId, calendarId: calendar.id, now }
      const own = (await listOwn(tables, now)).find(({ id }) => id === request.booking)
      if (!own) throw new Problem('booking_not_found', 'This caller has no such booking. Use my_bookings.')
      const next =
        startsAt === undefined
          ? await cancelBooking(tables, place, own.id)
          : await moveBooking(tables, place, own.id, { startsAt, person: undefined })
      if (next && work.sends && rules.mail === true) await mailBooking(tables, this.#deps, { ...work, calendar, booking: next })
      return next ?? own
    })
    this.#deps.wake()
    return { done: { [request.do === 'move' ? 'moved' : 'cancelled']: true, ...this.#shown(work, calendar, changed) } }
  }

  /** In a test conversation everything is done and rolled back. */
  async #write<T>({ rehearsal }: CalendarWork, change: (tables: Tables, now: number) => Promise<T>): Promise<T> {
    const { store, clock } = this.#deps
    const now = clock.now()
    if (!rehearsal) return store.write((tables) => change(tables, now))
    let result: { value: T } | undefined
    await store
      .write(async (tables) => {
        result = { value: await change(tables, now) }
        throw new RolledBack()
      })
      .catch((error: unknown) => {
        if (!(error instanceof RolledBack)) throw error
      })
    if (!result) throw new Error('nothing was tried')
    return result.value
  }

  #shown({ language }: CalendarWork, calendar: Calendar, { id, service, person, startsAt }: Booking): Record<string, unknown> {
    const { timeZone, services } = calendar.settings
    return {
      booking: id,
      service: services.find((one) => one.id === service)?.name ?? service,
      with: namesOf(calendar, [person])[0],
      start: localText(startsAt, timeZone),
      say: spokenTime(startsAt, { language, timeZone, now: this.#deps.clock.now() }),
    }
  }
}

class RolledBack extends Error {}

/** The service, or a sentence for the model. */
const serviceOf = ({ settings }: Calendar, { services: allowed }: Rules, id: string | undefined): Service | string => {
  const known = settings.services.filter((one) => allowed?.includes(one.id) ?? true)
  const [only] = known
  const found = id === undefined ? (known.length === 1 ? only : undefined) : known.find((one) => one.id === id)
  return found ?? `Name one of these services: ${known.map((one) => `${one.id} (${one.name}, ${one.minutes} minutes)`).join(', ')}.`
}

const namesOf = ({ settings }: Calendar, ids: readonly string[]): string[] =>
  ids.map((id) => settings.people.find((one) => one.id === id)?.name ?? id)

const noon = 12 * 60
const evening = 17 * 60

const partOf = (minute: number): 'morning' | 'afternoon' | 'evening' =>
  minute < noon ? 'morning' : minute < evening ? 'afternoon' : 'evening'

/** 2027-01-31T14:30, local time. */
const localText = (at: number, timeZone: string): string => {
  const { date, minute } = localTime(at, timeZone)
  return `${date}T${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
}

const momentOf = (local: string, { settings: { timeZone } }: Calendar): number | undefined => {
  const [, day = '', hour, minute] = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):([0-5]\d)$/.exec(local) ?? []
  return isDay(day) ? localMoments(timeZone)(day, Number(hour) * 60 + Number(minute)) : undefined
}

/** Few enough to be said: up to eight of one day, or four of each of three days, spread over the day. */
const offer = (slots: readonly Slot[], timeZone: string, isOneDay: boolean): Slot[] => {
  const byDay = Map.groupBy(slots, ({ startsAt }) => localDay(startsAt, timeZone))
  const [perDay, days] = isOneDay ? [8, 1] : [4, 3]
  return [...byDay.values()].slice(0, days).flatMap((all) => spread(all, perDay))
}

const spread = <T>(all: readonly T[], max: number): T[] =>
  all.length <= max ? [...all] : Array.from({ length: max }, (_, nth) => all[Math.floor((nth * all.length) / max)] as T)
