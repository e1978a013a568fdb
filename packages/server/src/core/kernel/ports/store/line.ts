import type { Overflow, RoutingRule, RoutingRules as Rules } from '@offhook/contract/v1/routing.ts'
import type { overrideStates, weekdays } from '@offhook/contract/v1/schedules.ts'
import type { DeviceType } from './device.ts'

/** w user, e register device, y mobile, x external, p phone line, g group, f fax line, s SMS, v voicemail */
export type ExtensionKind = 'w' | 'e' | 'y' | 'x' | 'p' | 'g' | 'f' | 's' | 'v'

interface Extension {
  id: string
  kind: ExtensionKind
  alias: string
  /** Owning extension: a device's user, a voicemail's group. */
  owner: string | undefined
}

export interface Extensions {
  /** Allocates the next number of that letter; numbers are never reused, even after a deletion. */
  create(accountId: string, extension: { kind: ExtensionKind; alias: string; owner?: string; at: number }): Promise<string>
  find(accountId: string, id: string): Promise<Extension | undefined>
  /** Extensions of a user or group, oldest first. */
  listOwned(accountId: string, owner: string, kind: ExtensionKind): Promise<Extension[]>
  setAlias(accountId: string, id: string, alias: string): Promise<boolean>
  /** The id stays reserved forever; the extension is no longer found. */
  remove(accountId: string, id: string, at: number): Promise<boolean>
}

export interface Phoneline {
  id: string
  alias: string
  /** User it belongs to. */
  owner: string
  blockAnonymous: boolean
  blockAnonymousTarget: 'REJECT' | 'VOICEMAIL'
  busyOnBusy: boolean
  /** URL notified of its calls; empty for none. */
  incomingUrl: string
  outgoingUrl: string
}

export interface Forwarding {
  /** E.164 with the plus sign, the id of a phone line, group or voicemail, or `voicemail` for the line's own. */
  destination: string
  /** Seconds of ringing before forwarding. */
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
  /** In forwarding order. */
  listForwardings(accountId: string, phoneline: string): Promise<Forwarding[]>
  replaceForwardings(accountId: string, phoneline: string, forwardings: readonly Forwarding[]): Promise<void>
  listParallelForwardings(accountId: string, phoneline: string): Promise<ParallelForwarding[]>
  findParallelForwarding(accountId: string, phoneline: string, id: number): Promise<ParallelForwarding | undefined>
  insertParallelForwarding(accountId: string, phoneline: string, forwarding: Omit<ParallelForwarding, 'id'>): Promise<number>
  updateParallelForwarding(accountId: string, phoneline: string, forwarding: ParallelForwarding): Promise<void>
  removeParallelForwarding(accountId: string, phoneline: string, id: number): Promise<boolean>
  /** Both kinds. */
  removeForwardings(accountId: string, phoneline: string): Promise<void>
  /** Other phone lines that forward to this destination, active or not. */
  forwardedFrom(accountId: string, destination: string): Promise<string[]>
}

/** All methods exclude deleted phone lines. */
export interface Phonelines extends Forwardings {
  /** Creates a phone line of a user; returns its id. */
  create(accountId: string, input: { owner: string; alias: string; at: number }): Promise<string>
  list(accountId: string, owner: string): Promise<Phoneline[]>
  find(accountId: string, id: string): Promise<Phoneline | undefined>
  update(accountId: string, id: string, change: Partial<Omit<Phoneline, 'id' | 'alias' | 'owner'>>): Promise<void>
  /** Removes the line with its forwardings and devices; its voicemail is a separate extension. */
  remove(accountId: string, id: string, at: number): Promise<void>
  devices(accountId: string, id: string): Promise<AttachedDevice[]>
  /** Idempotent. */
  addDevice(accountId: string, id: string, device: string): Promise<void>
  removeDevice(accountId: string, id: string, device: string): Promise<boolean>
}

export type GroupStrategy = 'PARALLEL' | 'LINEAR' | 'ROUND_ROBIN' | 'LONGEST_IDLE'

export interface Group {
  id: string
  alias: string
  strategy: GroupStrategy
  ringSeconds: number
  departmentId: number | undefined
}

/** All methods exclude deleted groups. */
export interface Groups {
  create(accountId: string, group: Omit<Group, 'id'> & { at: number }): Promise<string>
  list(accountId: string): Promise<Group[]>
  listByMember(accountId: string, userId: string): Promise<Group[]>
  find(accountId: string, id: string): Promise<Group | undefined>
  update(accountId: string, id: string, change: Partial<Omit<Group, 'id' | 'alias'>>): Promise<void>
  /** Removes the group with its memberships and devices; its voicemail and fax lines are separate extensions. */
  remove(accountId: string, id: string, at: number): Promise<void>
  /** Ids of existing users, in ringing order. */
  members(accountId: string, id: string): Promise<string[]>
  replaceMembers(accountId: string, id: string, userIds: readonly string[]): Promise<void>
  /** Removes the user from all groups. */
  removeMember(accountId: string, userId: string): Promise<void>
  devices(accountId: string, id: string): Promise<AttachedDevice[]>
  /** Idempotent. */
  addDevice(accountId: string, id: string, device: string): Promise<void>
  removeDevice(accountId: string, id: string, device: string): Promise<boolean>
  /** All devices of this user. */
  removeDevicesOf(accountId: string, id: string, userId: string): Promise<void>
}

export type Weekday = (typeof weekdays)[number]

/** Local wall-clock time. A span that ends at or before its start crosses midnight and belongs to the day on which it starts. */
export interface Span {
  from: string
  /** Up to 24:00. */
  to: string
}

/** Day that differs from the week. */
export interface SpecialDay {
  /** 2026-12-25, or --12-25 for every year. */
  date: string
  name: string
  /** Empty: closed all day. */
  open: readonly Span[]
}

export interface Override {
  state: (typeof overrideStates)[number]
  /** Missing: until it is switched back. */
  until?: number
}

export interface OfficeHours {
  timeZone: string
  week: Partial<Record<Weekday, readonly Span[]>>
  days: readonly SpecialDay[]
  override?: Override | undefined
}

export interface Schedule extends OfficeHours {
  id: string
  name: string
  updatedAt: number
}

export interface Schedules {
  /** By name. */
  list(accountId: string): Promise<Schedule[]>
  find(accountId: string, id: string): Promise<Schedule | undefined>
  insert(accountId: string, schedule: Schedule): Promise<void>
  /** Everything but the override. */
  update(accountId: string, schedule: Schedule): Promise<void>
  setOverride(accountId: string, id: string, override: Override | undefined): Promise<void>
  remove(accountId: string, id: string): Promise<void>
  removeOf(accountId: string): Promise<void>
}

export interface TargetRules extends Rules {
  /** Line, group, number or flow. */
  target: string
}

/** Routing of calls to a line, group, number or flow outside its hours and when unanswered. */
export interface RoutingRules {
  list(accountId: string): Promise<TargetRules[]>
  /** Most accounts have none, so one query answers it for all their calls. */
  listTargets(accountId: string): Promise<string[]>
  /** Other targets whose rules route to this line, group, voicemail or flow. */
  listLeadingTo(accountId: string, to: string): Promise<string[]>
  find(accountId: string, target: string): Promise<Rules | undefined>
  put(accountId: string, target: string, rules: { rules: readonly RoutingRule[]; overflow: readonly Overflow[] }): Promise<void>
  remove(accountId: string, target: string): Promise<void>
  removeOf(accountId: string): Promise<void>
}

export interface Voicemail {
  id: string
  alias: string
  /** Phone line or group it belongs to. */
  owner: string
  /** Seconds of ringing before it answers. */
  timeout: number
  active: boolean
  transcription: boolean
}

export interface Greeting {
  id: number
  alias: string
  /** At most one greeting per voicemail is active. */
  active: boolean
  durationMs: number
}

interface NewGreeting {
  alias: string
  /** WAV file in base64. */
  audio: string
  durationMs: number
  active: boolean
  at: number
}

/** All methods exclude deleted voicemails. */
export interface Voicemails {
  /** Creates a voicemail of a phone line or a group; returns its id. */
  create(accountId: string, input: { owner: string; alias: string; at: number }): Promise<string>
  listByOwner(accountId: string, owner: string): Promise<Voicemail[]>
  find(accountId: string, id: string): Promise<Voicemail | undefined>
  update(accountId: string, id: string, change: Partial<Pick<Voicemail, 'timeout' | 'active' | 'transcription'>>): Promise<void>
  /** Also removes its greetings. */
  remove(accountId: string, id: string, at: number): Promise<void>
  /** In order of creation. */
  greetings(accountId: string, voicemail: string): Promise<Greeting[]>
  findGreeting(accountId: string, voicemail: string, id: number): Promise<(Greeting & { audio: string }) | undefined>
  insertGreeting(accountId: string, voicemail: string, greeting: NewGreeting): Promise<number>
  /** Deactivates all others. */
  activateGreeting(accountId: string, voicemail: string, id: number): Promise<void>
  removeGreeting(accountId: string, voicemail: string, id: number): Promise<boolean>
}

export interface Notification {
  id: number
  type: 'VOICEMAIL' | 'FAX' | 'CALL' | 'SMS'
  endpointId: string
  via: 'EMAIL' | 'SMS'
  /** E-mail address, or E.164. */
  recipient: string
  direction: 'INCOMING' | 'OUTGOING' | 'MISSED_INCOMING' | 'ALL'
}

export interface Notifications {
  list(accountId: string, userId: string): Promise<Notification[]>
  /** All users' notifications for this extension. */
  listByEndpoint(accountId: string, endpointId: string): Promise<Notification[]>
  insert(accountId: string, userId: string, notification: Omit<Notification, 'id'>): Promise<number>
  remove(accountId: string, userId: string, id: number): Promise<boolean>
  /** All of this user's, or those for these extensions. */
  removeByUser(accountId: string, userId: string, endpointIds?: readonly string[]): Promise<void>
  /** For a removed extension. */
  removeByEndpoint(accountId: string, endpointId: string): Promise<void>
}

export interface SmsLine {
  id: string
  alias: string
  /** User it belongs to. */
  owner: string
  /** Default sender, E.164. */
  callerId: string | undefined
}

export interface SmsCallerId {
  id: number
  /** E.164 */
  phoneNumber: string
  verified: boolean
  isDefault: boolean
}

/** Hash and expiry of a verification code sent to the number. */
interface SentCode {
  hash: string
  expiresAt: number
}

/** All methods exclude deleted SMS extensions. */
export interface SmsLines {
  /** Creates an SMS extension of a user; returns its id. */
  create(accountId: string, input: { owner: string; alias: string; at: number }): Promise<string>
  list(accountId: string, owner: string): Promise<SmsLine[]>
  find(accountId: string, id: string): Promise<SmsLine | undefined>
  /** Also removes its senders. */
  remove(accountId: string, id: string, at: number): Promise<void>
  callerIds(accountId: string, sms: string): Promise<SmsCallerId[]>
  findCallerId(accountId: string, sms: string, id: number): Promise<SmsCallerId | undefined>
  /** A pending number gets the new code and a new set of tries; undefined if it is already verified. */
  awaitCode(accountId: string, sms: string, phoneNumber: string, code: SentCode): Promise<number | undefined>
  /** Counts a try before the comparison; returns the hash to compare with, or undefined if no try is left. */
  takeTry(accountId: string, sms: string, id: number, limit: { tries: number; now: number }): Promise<string | undefined>
  /** Allows it as a sender and consumes the code. */
  markVerified(accountId: string, sms: string, id: number, at: number): Promise<void>
  /** Sets the default sender, or none. Must be verified. */
  setDefault(accountId: string, sms: string, id: number | undefined): Promise<void>
  removeCallerId(accountId: string, sms: string, id: number): Promise<boolean>
}

export interface Faxline {
  id: string
  alias: string
  /** User or group it belongs to. */
  owner: string
  /** Printed at the top of every page. */
  tagline: string
  /** E.164; undefined if none was chosen. */
  callerId: string | undefined
  canSend: boolean
  canReceive: boolean
}

/** All methods exclude deleted fax lines. */
export interface Faxlines {
  /** Creates a fax line of a user or a group; returns its id. */
  create(accountId: string, input: { owner: string; alias: string; at: number }): Promise<string>
  listByOwner(accountId: string, owner: string): Promise<Faxline[]>
  find(accountId: string, id: string): Promise<Faxline | undefined>
  setTagline(accountId: string, id: string, tagline: string): Promise<void>
  setCallerId(accountId: string, id: string, callerId: string | undefined): Promise<void>
  remove(accountId: string, id: string, at: number): Promise<void>
}
