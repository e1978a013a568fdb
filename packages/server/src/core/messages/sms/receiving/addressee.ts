import type { Device } from '#core/kernel/ports/store/device/devices.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number/numbers.ts'

/** Whose message it is that comes for a number. */
export interface Addressee {
  accountId: string
  userId: string | undefined
  /** Where the user is told about messages, and where a program may wait for them. */
  smsId: string | undefined
  /** Users who are reached by one of these see it. */
  connectionIds: string[]
  alias: string
}

/**
 * The owner of whatever the number leads to, with the owner's SMS extension; all members of a group; for an assistant's number the
 * administrators. Undefined when it leads nowhere.
 */
export const addresseeOf = async (tables: Tables, number: AccountNumber): Promise<Addressee | undefined> => {
  const { accountId, endpointId, endpointOwner, flowId, endpointAlias: alias = '' } = number
  const noUser = { accountId, userId: undefined, smsId: undefined, alias }
  if (flowId !== undefined) return { ...noUser, connectionIds: [flowId] }
  if (endpointId === undefined) return undefined
  const owner = endpointOwner ?? endpointId
  if (owner.startsWith('g')) return { ...noUser, connectionIds: [...new Set([owner, endpointId])] }
  const smsId = endpointId.startsWith('s') ? endpointId : (await tables.smsLines.list(accountId, owner))[0]?.id
  const connectionIds = [...new Set(smsId === undefined ? [endpointId] : [smsId, endpointId])]
  return { accountId, userId: owner, smsId, connectionIds, alias }
}

/** Phones that show messages for the number: those of the line or group, or of the owner of anything else. */
export const phonesOf = async (tables: Tables, number: AccountNumber): Promise<string[]> => {
  const { accountId, endpointId = '', endpointOwner } = number
  if (endpointId.startsWith('p')) return ids(await tables.phonelines.devices(accountId, endpointId))
  const owner = endpointOwner ?? endpointId
  if (owner.startsWith('g')) return ids(await tables.groups.devices(accountId, owner))
  return owner.startsWith('w') ? ids(await tables.devices.listByOwner(accountId, owner)) : []
}

const ids = (devices: readonly Pick<Device, 'id' | 'type'>[]): string[] =>
  devices.filter(({ type }) => type !== 'EXTERNAL').map(({ id }) => id)
