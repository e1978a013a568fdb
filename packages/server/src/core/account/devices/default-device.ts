import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'

/** Register, external and mobile devices can ring; ids with another letter are rejected. */
const deviceId = /^[exy](0|[1-9]\d*)$/

export const setDefaultDevice = async (tables: Tables, accountId: string, userId: string, device: string): Promise<void> => {
  if (!deviceId.test(device)) throw Problem.field('deviceId', 'must be the id of a device, such as e0')
  const extension = await tables.extensions.find(accountId, device)
  if (extension?.owner !== userId) throw new Problem('device_not_found')
  await tables.users.setDefaultDevice(accountId, userId, device)
}
