import { Problem } from '@offhook/contract/problem.ts'
import type { Place } from '#core/kernel/phone-numbers/german-areas.ts'
import { placeAllows, type PlaceVerdict } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Address, AccountNumber } from '#core/kernel/ports/store/number.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Milliseconds a customer has to prove that a number fits an address that our table does not know. */
export const addressDeadlineMs = 14 * 24 * 60 * 60 * 1000

interface AddressChange {
  accountId: string
  actor: string
  address: Address
}

/** Moves an address and re-evaluates every number that it justified. Must run as one transaction. */
export const changeAddress = async (tables: Tables, clock: Clock, { accountId, actor, address }: AddressChange): Promise<void> => {
  if (!(await tables.addresses.lock(accountId, address.id))) throw new Problem('address_not_found')
  await tables.addresses.update(accountId, address, clock.now())
  const affected: Record<Outcome, AccountNumber[]> = { kept: [], restored: [], pending: [], deactivated: [] }
  for (const { id } of await tables.numbers.listByAddress(accountId, address.id)) {
    const number = await tables.numbers.lock(accountId, id)
    if (number) affected[await decide(tables, clock, number, address)].push(number)
  }
  await notifyDeactivated(tables, clock, accountId, address.id, affected.deactivated)
  const ids = (numbers: AccountNumber[]) => numbers.map((number) => number.id)
  const { restored, pending, deactivated } = affected
  const detail = { restored: ids(restored), pending: ids(pending), deactivated: ids(deactivated) }
  await tables.audit.append(accountId, { at: clock.now(), actor, action: 'address.change', target: String(address.id), detail })
}

type Outcome = 'kept' | 'restored' | 'pending' | 'deactivated'

const decide = async (tables: Tables, clock: Clock, number: AccountNumber, address: Address): Promise<Outcome> => {
  const { accountId, id, state } = number
  if (state !== 'ACTIVE' && state !== 'ADDRESS_PENDING') return 'kept'
  const verdict = placeVerdict(number, address)
  if (verdict === 'no') {
    await tables.jobs.cancel(deadlineJob(id))
    await tables.numbers.setState(accountId, id, 'DEACTIVATED')
    return 'deactivated'
  }
  if (verdict === 'yes' && state === 'ADDRESS_PENDING') {
    await restore(tables, number)
    return 'restored'
  }
  if (verdict === 'yes' || state === 'ADDRESS_PENDING') return 'kept'
  await awaitDecision(tables, clock, number)
  return 'pending'
}

/** Only German landline numbers are bound to a place; numbers approved by the operator stay allowed. */
export const placeVerdict = (number: Pick<AccountNumber, 'type' | 'e164' | 'approvedPlace'>, place: Place): PlaceVerdict => {
  if (number.type !== 'LANDLINE' || number.approvedPlace === placeKey(place)) return 'yes'
  return placeAllows(number.e164 ?? '', place)
}

export const placeKey = ({ country, postalCode, locality }: Place): string =>
  [country, postalCode, locality].map((part) => part.trim().toLowerCase()).join('|')

const awaitDecision = async (tables: Tables, clock: Clock, { accountId, id, e164 = '', addressId }: AccountNumber): Promise<void> => {
  const decideBy = clock.now() + addressDeadlineMs
  await tables.numbers.setState(accountId, id, 'ADDRESS_PENDING', decideBy)
  await scheduleDeadline(tables, accountId, id, decideBy)
  const payload = { addressId: String(addressId), numberId: id, number: e164, decideBy: new Date(decideBy).toISOString() }
  await tables.appEvents.insert(accountId, { type: 'ADDRESS_CHANGE', name: 'number_address_pending', payload }, clock.now())
}

export const scheduleDeadline = (tables: Tables, accountId: string, numberId: string, dueAt: number): Promise<void> =>
  tables.jobs.schedule({ id: deadlineJob(numberId), kind: 'address_deadline', payload: { accountId, numberId }, dueAt })

const deadlineJob = (numberId: string): string => `address-deadline:${numberId}`

const restore = async (tables: Tables, { accountId, id }: AccountNumber): Promise<void> => {
  await tables.jobs.cancel(deadlineJob(id))
  await tables.numbers.setState(accountId, id, 'ACTIVE')
}

/** Records the operator's approval to use the number at its current address. */
export const confirmPlace = async (tables: Tables, number: AccountNumber): Promise<void> => {
  if (number.state !== 'ADDRESS_PENDING') throw new Problem('conflict', `The number is ${number.state}, there is nothing to confirm.`)
  const address = number.addressId === undefined ? undefined : await tables.addresses.find(number.accountId, number.addressId)
  if (address) await tables.numbers.approvePlace(number.accountId, number.id, placeKey(address))
  await restore(tables, number)
}

/** Activates a ported number. If its address has moved since the order, the number works but waits for the operator's decision. */
export const activateArrived = async (tables: Tables, clock: Clock, accountId: string, id: string): Promise<void> => {
  const number = await tables.numbers.lock(accountId, id)
  if (!number) return
  const address = number.addressId === undefined ? undefined : await tables.addresses.find(accountId, number.addressId)
  if (address && placeVerdict(number, address) !== 'yes') await awaitDecision(tables, clock, number)
  else await tables.numbers.setState(accountId, id, 'ACTIVE')
}

/** Runs when the deadline for proof has passed. */
export const enforceDeadline = async (tables: Tables, clock: Clock, accountId: string, numberId: string): Promise<void> => {
  const number = await tables.numbers.lock(accountId, numberId)
  if (number?.state !== 'ADDRESS_PENDING' || (number.decideBy ?? 0) > clock.now()) return
  await tables.numbers.setState(accountId, numberId, 'DEACTIVATED')
  await notifyDeactivated(tables, clock, accountId, number.addressId, [number])
  const entry = {
    at: clock.now(),
    actor: 'system',
    action: 'number.deactivate',
    target: numberId,
    detail: { reason: 'address not confirmed' },
  }
  await tables.audit.append(accountId, entry)
}

const notifyDeactivated = async (tables: Tables, clock: Clock, accountId: string, addressId: number | undefined, gone: AccountNumber[]) => {
  if (gone.length === 0) return
  const payload = { addressId: String(addressId), numbers: gone.map(({ e164 }) => e164).join(', ') }
  await tables.appEvents.insert(accountId, { type: 'ADDRESS_CHANGE', name: 'address_change_deactivated_numbers', payload }, clock.now())
}
