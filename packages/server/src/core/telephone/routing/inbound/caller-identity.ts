import { fullName } from '#core/account/accounts/full-name.ts'
import { anonymous, effectiveCallerId } from '#core/account/devices/caller-id.ts'
import type { Party } from '#core/telephone/call/state/party.ts'
import type { Account } from '#core/kernel/ports/store/account/accounts.ts'
import type { Device } from '#core/kernel/ports/store/device/devices.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number/numbers.ts'
import type { User } from '#core/kernel/ports/store/account/users.ts'
import type { CallerIdentity } from '#core/kernel/ports/telephony.ts'

/** How the caller is seen. */
export interface Identities {
  /** By phones of the same account. */
  inside: CallerIdentity
  outside: CallerIdentity
}

/** How a caller at this device is seen. Carriers get a number of the account also when it is not to be shown. */
export const identitiesOf = async (
  tables: Tables,
  account: Account,
  device: Device,
  { withheld: requested }: { withheld: boolean },
): Promise<Identities> => {
  const [shown, user] = await Promise.all([effectiveCallerId(tables, account.id, device), tables.users.find(account.id, device.owner)])
  const hidden = shown === anonymous
  const number = hidden ? await numberOfOwner(tables, account.id, device.owner) : shown
  const withheld = hidden || requested
  const shy = requested || device.callerId === anonymous
  const name = user ? fullName(user) : ''
  return {
    inside: { number: number ?? device.id, name, withheld: shy },
    outside: { number, name: withheld ? '' : name, withheld },
  }
}

/** A user who calls without one of the account's phones. */
export const identityOfUser = async (tables: Tables, accountId: string, user: User): Promise<CallerIdentity> => ({
  number: await numberOfOwner(tables, accountId, user.id),
  name: fullName(user),
  withheld: false,
})

/** How the phones of an account see the party that they will talk to. */
export const seenInside = ({ identity }: Party): CallerIdentity =>
  identity.withheld ? { number: undefined, name: '', withheld: true } : identity

/**
 * Which number the emergency services call back, never withheld: one of the place where the phone is, else the one the phone shows, else any of
 * the account.
 */
export const emergencyIdentity = async (tables: Tables, account: Account, device: Device): Promise<CallerIdentity> => {
  const { emergencyAddressId } = device
  const there = emergencyAddressId === undefined ? [] : await tables.numbers.listByAddress(account.id, emergencyAddressId)
  const shown = await effectiveCallerId(tables, account.id, device)
  const number =
    firstInService(there) ??
    (shown === anonymous ? await numberOfOwner(tables, account.id, device.owner) : shown) ??
    firstInService(await tables.numbers.list(account.id))
  return { number, name: '', withheld: false }
}

const numberOfOwner = async (tables: Tables, accountId: string, owner: string): Promise<string | undefined> =>
  firstInService(await tables.numbers.listByUser(accountId, owner))

export const firstInService = (numbers: readonly AccountNumber[]): string | undefined =>
  numbers.find(({ e164, state }) => e164 !== undefined && state === 'ACTIVE')?.e164
