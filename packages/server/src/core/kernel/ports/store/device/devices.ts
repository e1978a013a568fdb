import type { SoundTrouble } from '#core/kernel/ports/telephony.ts'
import type { Registrations } from './registrations.ts'

export type DeviceType = 'REGISTER' | 'MOBILE' | 'EXTERNAL' | 'BROWSER'
export type CallDisplay = 'CALLED_NUMBER' | 'CALLER_NUMBER'

export interface Device {
  id: string
  alias: string
  /** The user it belongs to. */
  owner: string
  type: DeviceType
  dnd: boolean
  /** E.164, `anonymous`, or undefined for the number that leads to the owner. */
  callerId: string | undefined
  emergencyAddressId: number | undefined
  /** The area code put before numbers dialled without one. */
  localPrefix: string
  localPrefixActive: boolean
  singleRowDisplay: boolean
  tariffAnnouncement: boolean
  /** REGISTER only. */
  sip: { username: string; passwordSealed: string } | undefined
  /** EXTERNAL only. */
  external: { number: string; incomingCallDisplay: CallDisplay } | undefined
  esim: boolean
  /** What was last wrong with its sound. */
  sound: DeviceSound | undefined
}

export interface DeviceSound {
  state: SoundTrouble
  callId: string
  at: number
}

export interface NewDevice {
  owner: string
  alias: string
  type: DeviceType
  /** E.164; EXTERNAL only. */
  number?: string
  at: number
}

/** Undefined leaves a value as it is, null takes it away. */
export interface DeviceChange {
  dnd?: boolean
  callerId?: string | null
  emergencyAddressId?: number | null
  localPrefix?: string
  localPrefixActive?: boolean
  singleRowDisplay?: boolean
  tariffAnnouncement?: boolean
  externalNumber?: string
  incomingCallDisplay?: CallDisplay
}

export interface Named {
  id: string
  alias: string
}

export interface Devices extends Registrations {
  list(accountId: string): Promise<Device[]>
  listByOwner(accountId: string, owner: string, type?: DeviceType): Promise<Device[]>
  find(accountId: string, id: string): Promise<Device | undefined>
  /** Like find, and locks the device until the transaction ends. */
  lock(accountId: string, id: string): Promise<Device | undefined>
  /** Without the phones in browsers, which come by themselves. */
  count(accountId: string): Promise<number>
  /** Takes the next id of its letter. A REGISTER device has no credentials yet. */
  insert(accountId: string, device: NewDevice): Promise<string>
  update(accountId: string, id: string, change: DeviceChange): Promise<boolean>
  noteSound(accountId: string, id: string, sound: DeviceSound): Promise<void>
  /** In this call it was heard after all. */
  forgetSound(accountId: string, id: string, callId: string): Promise<void>
  setSipCredentials(accountId: string, id: string, sip: { username: string; passwordSealed: string }): Promise<void>
  /** The device, its memberships and registrations; the id stays taken. */
  remove(accountId: string, id: string, at: number): Promise<void>
  /** The phone lines each of these devices rings with; devices without one are absent. */
  phonelines(accountId: string, ids: readonly string[]): Promise<Map<string, Named[]>>
  groups(accountId: string, ids: readonly string[]): Promise<Map<string, Named[]>>
}
