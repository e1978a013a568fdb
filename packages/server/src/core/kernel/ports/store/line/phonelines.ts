import type { DeviceType } from '../device/devices.ts'

export interface Phoneline {
  id: string
  alias: string
  /** The user it belongs to. */
  owner: string
  blockAnonymous: boolean
  blockAnonymousTarget: 'REJECT' | 'VOICEMAIL'
  busyOnBusy: boolean
  /** Where its calls are told to; empty for nowhere. */
  incomingUrl: string
  outgoingUrl: string
}

export interface Forwarding {
  /** E.164 with the plus sign, the id of a phone line, group or voicemail, or `voicemail` for the line's own. */
  destination: string
  /** Seconds of ringing before it takes over. */
  timeout: number
  active: boolean
}

export interface ParallelForwarding {
  id: number
  alias: string
  /** As in a forwarding, but never a voicemail, which would always be the first to answer. */
  destination: string
  active: boolean
}

export interface AttachedDevice {
  id: string
  alias: string
  type: DeviceType
}

export interface Forwardings {
  /** In the order in which they take over. */
  listForwardings(accountId: string, phoneline: string): Promise<Forwarding[]>
  replaceForwardings(accountId: string, phoneline: string, forwardings: readonly Forwarding[]): Promise<void>
  listParallelForwardings(accountId: string, phoneline: string): Promise<ParallelForwarding[]>
  findParallelForwarding(accountId: string, phoneline: string, id: number): Promise<ParallelForwarding | undefined>
  insertParallelForwarding(accountId: string, phoneline: string, forwarding: Omit<ParallelForwarding, 'id'>): Promise<number>
  updateParallelForwarding(accountId: string, phoneline: string, forwarding: ParallelForwarding): Promise<void>
  removeParallelForwarding(accountId: string, phoneline: string, id: number): Promise<boolean>
  /** Of both kinds. */
  removeForwardings(accountId: string, phoneline: string): Promise<void>
  /** Phone lines, other than itself, that forward to this destination, whether or not that is active. */
  forwardedFrom(accountId: string, destination: string): Promise<string[]>
}

/** Phone lines that were deleted are not found by any of these. */
export interface Phonelines extends Forwardings {
  /** A phone line of a user; gives its id. */
  create(accountId: string, input: { owner: string; alias: string; at: number }): Promise<string>
  list(accountId: string, owner: string): Promise<Phoneline[]>
  find(accountId: string, id: string): Promise<Phoneline | undefined>
  update(accountId: string, id: string, change: Partial<Omit<Phoneline, 'id' | 'alias' | 'owner'>>): Promise<void>
  /** The line with its forwardings and devices; its voicemail is another extension. */
  remove(accountId: string, id: string, at: number): Promise<void>
  devices(accountId: string, id: string): Promise<AttachedDevice[]>
  /** Saying it twice changes nothing. */
  addDevice(accountId: string, id: string, device: string): Promise<void>
  removeDevice(accountId: string, id: string, device: string): Promise<boolean>
}
