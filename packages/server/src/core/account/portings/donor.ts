import type { CarrierMessageBody } from '@offhook/contract/carrier/messages.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber, Holder, StoredPorting, Address } from '#core/kernel/ports/store/number.ts'
import { sendMessage } from './deliver.ts'
import { record, addPortingEvent, type PortingContext } from './porting-record.ts'

/** Minimum working days until the switch. */
const noticeDays = 5

export interface Received {
  /** Code of the sending carrier. */
  from: string
  message: CarrierMessageBody
}

/** VA: another carrier requests our numbers. Answers RUEM-VA with a date, or ABBM with the reason. */
export const answerRequest = async (tables: Tables, context: PortingContext, { from, message }: Received): Promise<void> => {
  const { preAgreementId, numbers: wanted, holder, portDate: requested } = message
  if (!wanted) throw Problem.field('numbers', 'is required in a VA')
  if (!holder) throw Problem.field('holder', 'is required in a VA')
  const to = { carrierCode: from, preAgreementId }
  const known = await tables.portings.lockByAgreement('OUT', preAgreementId)
  const repeated = known?.carrier === from && known.status === 400
  // Repeated because our consent got lost: it is still valid.
  if (repeated) return sendMessage(tables, context, to, { type: 'RUEM-VA', codes: ['8001'], portDate: known.portDate ?? '' })
  const numbers = await lockNumbers(tables, wanted)
  const refused = known ? '8115' : await refusal(tables, context, numbers, wanted, holder)
  const [first] = numbers
  if (refused !== undefined || !first)
    return sendMessage(tables, context, to, { type: 'ABBM', codes: [refused ?? '8103'], regarding: 'VA' })
  const portDate = possibleDate(context.clock.now(), requested)
  await openLeaving(tables, context, { from, preAgreementId, holder, portDate, numbers, accountId: first.accountId })
  const codes = [requested === undefined || requested === portDate ? '8001' : '8002']
  await sendMessage(tables, context, to, { type: 'RUEM-VA', codes, portDate })
}

const lockNumbers = async (tables: Tables, wanted: string[]): Promise<AccountNumber[]> => {
  const found: AccountNumber[] = []
  // Fixed order, so that two requests for the same numbers cannot deadlock.
  for (const e164 of [...new Set(wanted)].toSorted()) {
    const number = await tables.numbers.findCallable(e164)
    const locked = number && (await tables.numbers.lock(number.accountId, number.id))
    if (locked) found.push(locked)
  }
  return found
}

const refusal = async (
  tables: Tables,
  { clock }: PortingContext,
  numbers: AccountNumber[],
  wanted: string[],
  holder: Holder,
): Promise<string | undefined> => {
  const [first] = numbers
  if (!first || numbers.length < new Set(wanted).size || numbers.some(({ state }) => state !== 'ACTIVE')) return '8103'
  if (numbers.some(({ accountId }) => accountId !== first.accountId)) return '8117'
  for (const { e164 = '' } of numbers) if (await tables.portings.isLeaving(e164)) return '8118'
  const mismatch = holderMismatch(holder, await customerOf(tables, first.accountId))
  if (mismatch) return mismatch
  const unreleased = numbers.some(({ type, mnpReleasedUntil = 0 }) => type === 'MOBILE' && mnpReleasedUntil <= clock.now())
  return unreleased ? '8116' : undefined
}

const customerOf = async (tables: Tables, accountId: string) => {
  const account = await tables.accounts.find(accountId)
  const users = await tables.users.list(accountId)
  const names = [account?.company ?? '', ...users.map(({ firstname, lastname }) => `${firstname} ${lastname}`)]
  return { names, addresses: await tables.addresses.list(accountId) }
}

/** The requested date if it is a working day far enough ahead, else the next possible one. */
const possibleDate = (now: number, requested: string | undefined): string => {
  const earliest = utcDate(addWorkingDays(now, noticeDays))
  const from = requested !== undefined && requested > earliest ? requested : earliest
  const time = Date.parse(from)
  return isWorkingDay(time) ? from : utcDate(addWorkingDays(time, 1))
}

interface Leaving {
  from: string
  preAgreementId: string
  holder: Holder
  portDate: string
  numbers: AccountNumber[]
  accountId: string
}

const openLeaving = async (tables: Tables, context: PortingContext, leaving: Leaving): Promise<void> => {
  const { from: carrier, preAgreementId, holder, portDate, numbers, accountId } = leaving
  const at = context.clock.now()
  const leavingNumbers = numbers.map(({ id, e164 = '' }) => ({ id, e164 }))
  const agreed = { accountId, direction: 'OUT', status: 400, portDate, carrier, holder, preAgreementId, email: '' } as const
  const porting = await tables.portings.insert({ ...agreed, numbers: leavingNumbers }, at)
  const actor = `carrier:${carrier}`
  await tables.portings.appendEvent(porting.id, { at, from: undefined, event: 'agreed_to_leave', to: 400, codes: [], actor })
  await tables.audit.append(accountId, { at, actor, action: 'porting.leave', target: String(porting.id), detail: { carrier, portDate } })
  await addPortingEvent(tables, context.clock, porting)
  await planSwitch(tables, porting)
}

const planSwitch = (tables: Tables, { id, portDate }: StoredPorting): Promise<void> =>
  tables.jobs.schedule({
    id: `porting-switch:${id}`,
    kind: 'porting_switch',
    payload: { portingId: id },
    dueAt: Date.parse(portDate ?? ''),
  })

/** TV: another date. Later is always possible, earlier only with the usual notice. */
export const answerDateMove = async (
  tables: Tables,
  context: PortingContext,
  porting: StoredPorting,
  { from, message }: Received,
): Promise<void> => {
  const { preAgreementId, portDate } = message
  if (portDate === undefined) throw Problem.field('portDate', 'is required in a TV')
  const to = { carrierCode: from, preAgreementId }
  const possible = porting.status === 400 && mayMoveTo(context.clock.now(), porting, portDate)
  if (!possible) return sendMessage(tables, context, to, { type: 'ABBM', codes: ['8141'], regarding: 'TV' })
  const moved = await record(tables, context, porting, { event: 'date_moved', portDate, codes: ['8003'], actor: `carrier:${from}` })
  await planSwitch(tables, moved)
  await sendMessage(tables, context, to, { type: 'ERLM', codes: ['8003'], regarding: 'TV', portDate })
}

const mayMoveTo = (now: number, { portDate }: StoredPorting, requested: string): boolean => {
  const later = requested > utcDate(now) && requested > (portDate ?? '') && isWorkingDay(Date.parse(requested))
  return later || possibleDate(now, requested) === requested
}

/** STR-AUF and STR-AEN: keeps the numbers, unless the switch has been prepared. */
export const answerCancellation = async (
  tables: Tables,
  context: PortingContext,
  porting: StoredPorting,
  { from, message }: Received,
): Promise<void> => {
  const { preAgreementId, type } = message
  const to = { carrierCode: from, preAgreementId }
  if (porting.status === 400) await keepNumbers(tables, context, porting, `carrier:${from}`)
  const done = porting.status === 400 || porting.status === 600
  await sendMessage(tables, context, to, { type: done ? 'ERLM' : 'ABBM', codes: [done ? '8004' : '8142'], regarding: type })
}

export const keepNumbers = async (
  tables: Tables,
  context: PortingContext,
  porting: StoredPorting,
  actor: string,
): Promise<StoredPorting> => {
  const asked = await record(tables, context, porting, { event: 'cancel_requested', actor })
  return record(tables, context, asked, { event: 'cancel_confirmed', codes: ['8004'], actor })
}

/** PDX-SUBMIT: the new carrier is ready; we release on the date, not before. */
export const acceptExchange = async (
  tables: Tables,
  context: PortingContext,
  porting: StoredPorting,
  { from, message }: Received,
): Promise<void> => {
  const { preAgreementId } = message
  const to = { carrierCode: from, preAgreementId }
  if (porting.status === 600) return sendMessage(tables, context, to, { type: 'ABBM', codes: ['8140'], regarding: 'PDX-SUBMIT' })
  if (porting.status === 500) return sendMessage(tables, context, to, { type: 'PDX-ACK' })
  if (porting.status === 400) {
    const dated = await agreeOnDate(tables, context, porting, { from, message })
    await record(tables, context, dated, { event: 'exchange_opened', actor: `carrier:${from}` })
  }
  await release(tables, context, porting.id)
}

/** If our consent to an earlier date got lost, the new carrier still expects the later one and would not take the number before. */
const agreeOnDate = async (
  tables: Tables,
  context: PortingContext,
  porting: StoredPorting,
  { from, message }: Received,
): Promise<StoredPorting> => {
  const { portDate } = message
  if (portDate === undefined || portDate <= (porting.portDate ?? '')) return porting
  const moved = await record(tables, context, porting, { event: 'date_moved', portDate, actor: `carrier:${from}` })
  await planSwitch(tables, moved)
  return moved
}

/** Releases the numbers on the date, once the new carrier is ready: only then may they ring there. */
export const release = async (tables: Tables, context: PortingContext, portingId: number): Promise<void> => {
  const porting = await tables.portings.lock(portingId)
  const reached = Date.parse(porting?.portDate ?? '') <= context.clock.now()
  if (porting?.direction !== 'OUT' || porting.status !== 450 || !reached) return
  const { accountId, carrier = '', preAgreementId = '' } = porting
  for (const { id } of porting.numbers) {
    await tables.numbers.setRouting(accountId, id, {})
    await tables.numbers.setMnpRelease(accountId, id, undefined)
    await tables.numbers.setState(accountId, id, 'PORTED_OUT')
  }
  await record(tables, context, porting, { event: 'exchange_confirmed', actor: 'system' })
  await tables.audit.append(accountId, { at: context.clock.now(), actor: 'system', action: 'porting.left', target: String(portingId) })
  await sendMessage(tables, context, { carrierCode: carrier, preAgreementId }, { type: 'PDX-ACK' })
}

/** Customer data of the present carrier. */
interface KnownCustomer {
  /** The company and the names of its users. */
  names: string[]
  addresses: Pick<Address, 'street' | 'houseNumber' | 'postalCode' | 'locality' | 'country'>[]
}

/** Rejection code, or undefined when the named holder is our customer. */
export function holderMismatch(holder: Holder, customer: KnownCustomer): '8108' | '8112' | undefined {
  const name = plain(holder.name)
  if (name === '' || !customer.names.some((known) => plain(known) === name)) return '8112'
  return customer.addresses.some((address) => sameAddress(holder, address)) ? undefined : '8108'
}

function sameAddress(holder: Holder, address: KnownCustomer['addresses'][number]): boolean {
  const pairs = [
    [holder.country, address.country],
    [holder.postcode, address.postalCode],
    [holder.city, address.locality],
    [plainStreet(holder.street), plainStreet(address.street)],
    [holder.number, address.houseNumber],
  ] as const
  return pairs.every(([named, known]) => plain(named) === plain(known))
}

/** Ignores case, umlauts, spaces and punctuation: "Königsallee 1" equals "KOENIGSALLEE 1". */
function plain(text: string): string {
  const spelled = text.normalize('NFC').replace(/[äöüÄÖÜ]/g, (letter) => `${letter.normalize('NFD').charAt(0)}e`)
  const letters = spelled.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss')
  return letters.replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Hauptstraße, Hauptstr. and Haupt Strasse are the same street. */
function plainStreet(street: string): string {
  return plain(street).replace(/strasse$/, 'str')
}

const dayMs = 24 * 60 * 60 * 1000

/** The calendar date in UTC, `2026-12-01`. */
export function utcDate(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** The same time of day, `days` working days later; 0 is `at` itself, even on a holiday. */
export function addWorkingDays(at: number, days: number): number {
  let reached = at
  for (let left = days; left > 0;) {
    reached += dayMs
    if (isWorkingDay(reached)) left -= 1
  }
  return reached
}

/** Monday to Friday, except the holidays of all of Germany. Regional ones count as working days: carriers work on them. */
export function isWorkingDay(at: number): boolean {
  const day = new Date(at)
  const weekend = day.getUTCDay() === 0 || day.getUTCDay() === 6
  return !weekend && !germanHolidays(day.getUTCFullYear()).has(utcDate(at))
}

/** Dates of the nationwide holidays of a year. */
export function germanHolidays(year: number): ReadonlySet<string> {
  const easter = easterSunday(year)
  const fixed = ['01-01', '05-01', '10-03', '12-25', '12-26'].map((day) => `${year}-${day}`)
  // Good Friday, Easter Monday, Ascension Day, Whit Monday.
  const moving = [-2, 1, 39, 50].map((offset) => utcDate(easter + offset * dayMs))
  return new Set([...fixed, ...moving])
}

/** The first Sunday after the church's full moon, which falls on 21 March or later; the corrections keep the moon's 19-year cycle in step. */
function easterSunday(year: number): number {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const moonShift = century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25)
  const age = (19 * golden + moonShift + 15) % 30
  const daysToFullMoon = age - (age === 29 || (age === 28 && golden > 10) ? 1 : 0)
  const fullMoon = Date.UTC(year, 2, 21 + daysToFullMoon)
  return fullMoon + (7 - new Date(fullMoon).getUTCDay()) * dayMs
}

/** Rejects well-formed dates that do not exist, such as 2026-02-31. */
export const requireCalendarDate = (field: string, date: string): void => {
  const time = Date.parse(date)
  if (Number.isNaN(time) || utcDate(time) !== date) throw Problem.field(field, 'is no calendar date')
}

/** Rejects dates in the past. */
export const requireFutureDate = (field: string, date: string, now: number): void => {
  requireCalendarDate(field, date)
  if (date <= utcDate(now)) throw Problem.field(field, 'must be in the future')
}
