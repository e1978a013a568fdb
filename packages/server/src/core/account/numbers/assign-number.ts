import { Problem } from '@offhook/contract/problem.ts'
import { addressIdOf } from '../addresses/address-input.ts'
import { addressDeadlineMs, placeKey, placeVerdict, scheduleDeadline } from '../addresses/change-address.ts'
import type { Clock } from '#core/kernel/ports/platform.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber, NewNumber } from '#core/kernel/ports/store/number.ts'
import { germanGeographic, parseNumber, type PhoneNumber } from '#core/kernel/phone-numbers/phone-number.ts'

interface Assignment {
  accountId: string
  number: string
  addressId?: string
}

/** Assigns a number to an account. If our table does not know the place, the number waits for the operator's decision. */
export const assignNumber = async (tables: Tables, clock: Clock, id: string, assignment: Assignment): Promise<AccountNumber> => {
  const { accountId } = assignment
  await tables.accounts.lock(accountId) // prevents the account from being closed concurrently
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  const parsed = parseNumber(assignment.number, account.country)
  if (!parsed) throw Problem.field('number', 'is not a valid phone number', 'number_invalid')
  await requireNotElsewhere(tables, parsed.e164)
  const place = await justify(tables, clock, accountId, parsed, assignment.addressId)
  const number = { id, e164: parsed.e164, type: parsed.type, createdAt: clock.now(), ...place }
  if (!(await tables.numbers.insert(accountId, number))) throw new Problem('already_exists', 'The number is already in use here.')
  if (place.decideBy !== undefined) await scheduleDeadline(tables, accountId, id, place.decideBy)
  const assigned = await tables.numbers.find(accountId, id)
  if (!assigned) throw new Error('a number that was just inserted is gone')
  return assigned
}

type NumberApproval = Pick<NewNumber, 'state' | 'addressId' | 'approvedPlace' | 'decideBy'>

const justify = async (
  tables: Tables,
  clock: Clock,
  accountId: string,
  { e164, type }: PhoneNumber,
  addressText: string | undefined,
): Promise<NumberApproval> => {
  const bound = type === 'LANDLINE' && germanGeographic(e164) !== undefined
  if (addressText === undefined) {
    if (bound) throw Problem.field('addressId', 'is required for a German landline number')
    return { state: 'ACTIVE' }
  }
  const addressId = addressIdOf(addressText)
  const address = await tables.addresses.lock(accountId, addressId)
  if (!address) throw Problem.field('addressId', 'is no address of this account')
  const verdict = placeVerdict({ type, e164, approvedPlace: undefined }, address)
  if (verdict === 'no') throw Problem.field('addressId', 'is in another area than the number')
  if (verdict === 'unknown') return { state: 'ADDRESS_PENDING', addressId, decideBy: clock.now() + addressDeadlineMs }
  return { state: 'ACTIVE', addressId, approvedPlace: placeKey(address) }
}

/** Milliseconds a returned number rests in the stock before it is offered again. */
const restMs = 90 * 24 * 60 * 60 * 1000

export const releaseNumber = async (tables: Tables, clock: Clock, number: AccountNumber): Promise<void> => {
  if (number.state === 'PORTING_IN') throw new Problem('conflict', 'The number is being ported in; cancel the porting instead.')
  if (await tables.portings.isLeaving(number.e164 ?? '')) throw new Problem('conflict', 'The number is being ported to another carrier.')
  await tables.numbers.remove(number.accountId, number.id)
  await tables.numberStock.takeBack(number.id, clock.now() + restMs)
}

export const deactivateNumber = async (tables: Tables, number: AccountNumber): Promise<void> => {
  requireState(number, 'ACTIVE', 'ADDRESS_PENDING')
  await tables.numbers.setState(number.accountId, number.id, 'DEACTIVATED')
}

export const reactivateNumber = async (tables: Tables, number: AccountNumber): Promise<void> => {
  requireState(number, 'DEACTIVATED')
  const { accountId, id, addressId, e164 = '' } = number
  if (!(await tables.accounts.find(accountId))) throw new Problem('conflict', 'The account of the number is closed.')
  const address = addressId === undefined ? undefined : await tables.addresses.find(accountId, addressId)
  if (address && placeVerdict(number, address) === 'no') throw new Problem('conflict', 'The address of the number is in another area.')
  await requireNotElsewhere(tables, e164)
  if (await tables.numbers.findCallable(e164)) throw new Problem('already_exists', 'The number is already in use here.')
  if (address) await tables.numbers.approvePlace(accountId, id, placeKey(address))
  await tables.numbers.setState(accountId, id, 'ACTIVE')
}

/** Rejects a number that another carrier has or is about to get. */
const requireNotElsewhere = async (tables: Tables, e164: string): Promise<void> => {
  if (await tables.portings.isLeaving(e164)) throw new Problem('already_exists', 'The number is promised to another carrier.')
  const [left] = await tables.numbers.listPortedOut(e164)
  if (left)
    throw new Problem(
      'already_exists',
      `The number went to another carrier. If it fell back to you, release the old entry ${left.id} first.`,
    )
}

const requireState = ({ state }: AccountNumber, ...allowed: AccountNumber['state'][]): void => {
  if (!allowed.includes(state)) throw new Problem('conflict', `The number is ${state}.`)
}
