import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { placeKey, placeVerdict } from '../addresses/change-address.ts'
import { germanGeographic, parseNumber, type PhoneNumber } from '#core/kernel/phone-numbers/phone-number.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Address, Holder, StoredPorting, StoredStatus } from '#core/kernel/ports/store/number.ts'
import { advance } from './advance.ts'
import { requireFutureDate } from './donor.ts'
import { apply, type Porting } from './porting-machine.ts'
import type { PortingContext } from './porting-record.ts'

export interface PortingInput {
  numbers: string[]
  holder: Holder
  /** Code of the present carrier. */
  carrier?: string
  portDate?: string
  email: string
}

interface PortingOrder {
  accountId: string
  actor: string
  wish: PortingInput
}

/** Opens an incoming porting: by consent mail if the present carrier speaks WBCI, else by paper. */
export const startPorting = async (
  tables: Tables,
  context: PortingContext,
  { accountId, actor, wish: input }: PortingOrder,
): Promise<StoredPorting> => {
  await tables.accounts.lock(accountId) // prevents the account from being closed concurrently
  const account = await tables.accounts.find(accountId)
  if (!account) throw new Problem('account_not_found')
  if (input.carrier === context.carrierCode) throw Problem.field('carrier', 'is ourselves')
  if (input.portDate !== undefined) requireFutureDate('portDate', input.portDate, context.clock.now())
  const numbers = readNumbers(input.numbers, account.country)
  const carrier = input.carrier === undefined ? undefined : await tables.carriers.find(input.carrier)
  const event = carrier ? 'create_by_wbci' : 'create_by_form'
  const at = context.clock.now()
  const opening = apply<Porting>({ status: 'new', portDate: null, cancelRequested: false }, event, {}, at)
  const { holder, email, portDate: wishedDate } = input
  const arriving = await addArriving(tables, context, accountId, holder, numbers)
  const opened = { accountId, direction: 'IN', status: opening.status as StoredStatus, portDate: null, holder, email } as const
  const porting = await tables.portings.insert({ ...opened, wishedDate, carrier: carrier?.code, numbers: arriving }, at)
  await tables.portings.appendEvent(porting.id, { at, from: undefined, event, to: porting.status, codes: [], actor })
  return carrier ? advance(tables, context, porting, { event: 'optin_mail_sent', actor: 'system' }) : porting
}

const readNumbers = (requested: string[], country: string): PhoneNumber[] => {
  const numbers = requested.map((text, index) => {
    const number = parseNumber(text, country)
    if (!number) throw Problem.field(`numbers/${index}`, 'is not a valid phone number', 'number_invalid')
    if (number.type === 'INTERNATIONAL' || number.premium)
      throw Problem.field(`numbers/${index}`, 'is of a kind that cannot be ported to us')
    return number
  })
  const twice = numbers.findIndex(({ e164 }, index) => numbers.findIndex((other) => other.e164 === e164) !== index)
  if (twice !== -1) throw Problem.field(`numbers/${twice}`, 'is named twice')
  return numbers
}

/** Adds the numbers to the account; they ring when the porting is complete. */
const addArriving = async (
  tables: Tables,
  { clock }: PortingContext,
  accountId: string,
  holder: Holder,
  numbers: PhoneNumber[],
): Promise<StoredPorting['numbers']> => {
  const arriving: StoredPorting['numbers'] = []
  for (const [index, { e164, type }] of numbers.entries()) {
    if (await tables.numbers.findCallable(e164)) throw Problem.field(`numbers/${index}`, 'is served by us already', 'already_exists')
    const address = germanGeographic(e164) === undefined ? undefined : await addressFor(tables, clock.now(), accountId, holder, e164)
    if (address === 'none') throw Problem.field(`numbers/${index}`, "does not belong to the place of the holder's address")
    const id = randomUUID()
    const place = address && { addressId: address.id, approvedPlace: placeKey(address) }
    if (!(await tables.numbers.insert(accountId, { id, e164, type, state: 'PORTING_IN', createdAt: clock.now(), ...place })))
      throw Problem.field(`numbers/${index}`, 'is already being ported to this account', 'already_exists')
    arriving.push({ id, e164 })
  }
  return arriving
}

/** The account's address that justifies the number; the holder's address is added if none does. */
const addressFor = async (tables: Tables, at: number, accountId: string, holder: Holder, e164: string): Promise<Address | 'none'> => {
  const verdict = (place: Pick<Address, 'country' | 'postalCode' | 'locality'>) =>
    placeVerdict({ type: 'LANDLINE', e164, approvedPlace: undefined }, place)
  const known = (await tables.addresses.list(accountId)).find((address) => verdict(address) === 'yes')
  if (known) return known
  const { street, number, postcode, city, country } = holder
  const address = { poBox: '', extendedAddress: '', street, houseNumber: number, locality: city, region: '', postalCode: postcode, country }
  if (verdict(address) === 'no') return 'none'
  const same = (await tables.addresses.list(accountId)).find((other) => placeKey(other) === placeKey(address) && other.street === street)
  return same ?? { ...address, id: await tables.addresses.insert(accountId, address, at) }
}
