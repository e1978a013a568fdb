import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Device, DeviceType } from '#core/kernel/ports/store/device.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { readPhoneNumber } from './create-device.ts'
import { newSipPassword } from './create-device.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

/** For settings that only one device type has. */
export const requireType = (device: Device, type: DeviceType): void => {
  if (device.type !== type) throw Problem.field('deviceId', `must name a device of the type ${type}`)
}

interface GeneralChange {
  dnd?: boolean
  /** Null removes it. */
  emergencyAddressId?: number | null
}

export const changeDevice = async (
  tables: Tables,
  clock: Clock,
  caller: UserCaller,
  deviceId: string,
  change: GeneralChange,
): Promise<void> => {
  const { accountId } = caller
  const { emergencyAddressId } = change
  if (typeof emergencyAddressId === 'number' && !(await tables.addresses.find(accountId, emergencyAddressId)))
    throw Problem.field('emergencyAddressId', 'is not an address of this account')
  if (!(await tables.devices.update(accountId, deviceId, change))) throw new Problem('device_not_found')
  if (emergencyAddressId === undefined) return
  // Rescue services are sent there, so the audit log must name who set it.
  await auditByUser(tables, clock, caller, 'device.set_emergency_address', deviceId, { addressId: emergencyAddressId })
}

/** Ends registrations made with the old password as well. */
export const resetSipPassword = async (
  tables: Tables,
  clock: Clock,
  vault: Vault,
  { accountId, device, actor }: { accountId: string; device: Device; actor: string },
): Promise<string> => {
  requireType(device, 'REGISTER')
  const password = newSipPassword()
  await tables.devices.setSipCredentials(accountId, device.id, { username: accountId + device.id, passwordSealed: vault.seal(password) })
  await tables.devices.unregister(accountId, device.id)
  await tables.audit.append(accountId, { at: clock.now(), actor, action: 'device.reset_password', target: device.id })
  return password
}

/** Number of an external phone; its calls go there from now on. */
export const setTargetNumber = async (tables: Tables, clock: Clock, caller: UserCaller, device: Device, written: string): Promise<void> => {
  const { accountId } = caller
  requireType(device, 'EXTERNAL')
  const externalNumber = await readPhoneNumber(tables, accountId, written, clock.now())
  if (!(await tables.devices.update(accountId, device.id, { externalNumber }))) throw new Problem('device_not_found')
  await auditByUser(tables, clock, caller, 'device.set_number', device.id, { number: externalNumber })
}
