import type { SoundTrouble } from '#core/kernel/ports/audio.ts'

export type DeviceType = 'REGISTER' | 'MOBILE' | 'EXTERNAL' | 'BROWSER'
type CallDisplay = 'CALLED_NUMBER' | 'CALLER_NUMBER'

export interface Device {
  id: string
  alias: string
  /** User it belongs to. */
  owner: string
  type: DeviceType
  dnd: boolean
  /** E.164, `anonymous`, or undefined for the owner's number. */
  callerId: string | undefined
  emergencyAddressId: number | undefined
  /** Area code for numbers dialled without one. */
  localPrefix: string
  localPrefixActive: boolean
  singleRowDisplay: boolean
  tariffAnnouncement: boolean
  /** REGISTER only. */
  sip: { username: string; passwordSealed: string } | undefined
  /** EXTERNAL only. */
  external: { number: string; incomingCallDisplay: CallDisplay } | undefined
  esim: boolean
  /** Latest audio problem. */
  sound: DeviceSound | undefined
}

interface DeviceSound {
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

/** Undefined keeps a value, null removes it. */
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
  /** Same as `find`; locks the device until the transaction ends. */
  lock(accountId: string, id: string): Promise<Device | undefined>
  /** Excludes browser phones, which are created automatically. */
  count(accountId: string): Promise<number>
  /** Allocates the next id of its letter. A REGISTER device has no credentials yet. */
  insert(accountId: string, device: NewDevice): Promise<string>
  update(accountId: string, id: string, change: DeviceChange): Promise<boolean>
  noteSound(accountId: string, id: string, sound: DeviceSound): Promise<void>
  /** Clears the problem of this call: audio arrived after all. */
  forgetSound(accountId: string, id: string, callId: string): Promise<void>
  setSipCredentials(accountId: string, id: string, sip: { username: string; passwordSealed: string }): Promise<void>
  /** Removes the device, its memberships and registrations; the id stays reserved. */
  remove(accountId: string, id: string, at: number): Promise<void>
  /** Phone lines of each device; devices without one are absent. */
  phonelines(accountId: string, ids: readonly string[]): Promise<Map<string, Named[]>>
  groups(accountId: string, ids: readonly string[]): Promise<Map<string, Named[]>>
}

export interface Registration {
  /** Contact URI of the phone, unchanged. */
  contact: string
  /** Path values towards the phone (RFC 3327), separated by commas; mostly empty. */
  path: string
  /** q value of the contact, unchanged; empty if missing. */
  q: string
  /** Source address of the REGISTER. */
  ip: string
  /** Edge that forwarded it, and route for calls to the phone: `udp:10.0.0.1:5060`; empty for directly connected phones. */
  via: string
  /** Address of the phone as seen by our proxies; empty if unknown. */
  origin: string
  port: number
  transport: string
  userAgent: string
  callId: string
  cseq: number
  expiresAt: number
}

export interface RegisteredFlow {
  address: string
  port: number
  kind: string
}

export interface SipIdentity {
  accountId: string
  deviceId: string
  passwordSealed: string
}

/** Unchanged re-registration: only the expiry is new. */
export interface Refresh {
  /** Cached identity: if it is outdated, the registration is not renewed. */
  identity: SipIdentity
  registration: Registration
}

/** Current bindings of phones. A registration expires by its time, without a write. */
export interface Registrations {
  /** Undefined if its user or account is gone. */
  findBySipUsername(username: string): Promise<SipIdentity | undefined>
  /** Adds or renews. False for a request overtaken by a newer one of the same phone (RFC 3261 §10.3). */
  register(accountId: string, deviceId: string, registration: Registration, now: number): Promise<boolean>
  /** Refreshes a batch. Each gets all bindings of its device, or undefined if it is not an unchanged refresh: then it is not renewed. */
  refresh(list: readonly Refresh[], now: number): Promise<(Registration[] | undefined)[]>
  /** One contact, or all of the device. */
  unregister(accountId: string, deviceId: string, contact?: string): Promise<void>
  /** Moves the expiry of all accounts' registrations by `ms`, because their clock was set. */
  moveRegistrations(ms: number): Promise<void>
  /** Unexpired registrations per device; devices without one are absent. */
  registrations(accountId: string, deviceIds: readonly string[], now: number): Promise<Map<string, Registration[]>>
  /** Source addresses of all unexpired registrations, of all accounts. */
  registeredFlows(now: number): Promise<RegisteredFlow[]>
  /** Unexpired registrations of all accounts. */
  countRegistrations(now: number): Promise<number>
}

/** Stored subscription of a phone, so that it is notified right after a restart instead of at its next SUBSCRIBE. */
export interface BlfSubscription {
  id: string
  accountId: string
  deviceId: string
  kind: 'messages' | 'calls'
  /** Name used by the phone. */
  name: string
  /** Notification route, JSON. Only the telephony adapter reads it. */
  way: Readonly<Record<string, unknown>>
  /** Address by which the phone knows its node: only that node can notify it. */
  place: string
  expiresAt: number
}

export interface BlfSubscriptions {
  /** Replaces one with the same id. */
  put(watch: BlfSubscription): Promise<void>
  remove(accountId: string, id: string): Promise<void>
  /** Unexpired subscriptions of this address. */
  listAt(place: string, now: number): Promise<BlfSubscription[]>
  removeExpired(now: number): Promise<void>
}

/** Browser subscribed to call notifications. */
export interface PushSubscription {
  /** Digest of its address. */
  id: string
  endpointSealed: string
  keysSealed: string
  /** Language of the notifications. */
  language: string
}

export interface PushSubscriptions {
  /** Replaces one with the same id. */
  put(accountId: string, userId: string, subscription: PushSubscription, at: number): Promise<void>
  list(accountId: string, userId: string): Promise<PushSubscription[]>
  /** False if there was none. */
  remove(accountId: string, userId: string, id: string): Promise<boolean>
  removeOfUser(accountId: string, userId: string): Promise<void>
  removeOfAccount(accountId: string): Promise<void>
}
