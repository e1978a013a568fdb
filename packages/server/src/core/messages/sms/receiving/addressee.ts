import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { AccountNumber } from '#core/kernel/ports/store/number.ts'

/** Owner of a message to a number. */
interface Addressee {
  accountId: string
  userId: string | undefined
  /** SMS extension whose user is notified, and whose program may be connected. */
  smsId: string | undefined
  /** Users who can be reached by one of these see the message. */
  connectionIds: string[]
  alias: string
}

/**
 * The owner of the number's target, with the owner's SMS extension; all members of a group; for an assistant's number the
 * administrators. Undefined when the number has no target.
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

/** Phones that show messages for the number: those of the line or group, else of the target's owner. */
export const phonesOf = async (tables: Tables, number: AccountNumber): Promise<string[]> => {
  const { accountId, endpointId = '', endpointOwner } = number
  if (endpointId.startsWith('p')) return ids(await tables.phonelines.devices(accountId, endpointId))
  const owner = endpointOwner ?? endpointId
  if (owner.startsWith('g')) return ids(await tables.groups.devices(accountId, owner))
  return owner.startsWith('w') ? ids(await tables.devices.listByOwner(accountId, owner)) : []
}

const ids = (devices: readonly Pick<Device, 'id' | 'type'>[]): string[] =>
  devices.filter(({ type }) => type !== 'EXTERNAL').map(({ id }) => id)
