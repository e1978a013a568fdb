import type { Tables } from '../ports/store/index.ts'

type Methods = { readonly [T in keyof Tables]?: readonly (keyof Tables[T])[] }

/** Queries of calls whose answers seldom change and are cached. Registrations, money and transcripts are queried each time. */
const cached: { readonly [T in keyof Tables]?: 'all' | readonly (keyof Tables[T])[] } = {
  accounts: 'all',
  addresses: 'all',
  contacts: ['findNames'],
  devices: ['find', 'list', 'listByOwner', 'phonelines', 'groups'],
  extensions: 'all',
  faxlines: 'all',
  flows: 'all',
  groups: 'all',
  numbers: 'all',
  phonelines: 'all',
  pushSecrets: 'all',
  pushSettings: 'all',
  routingRules: 'all',
  schedules: 'all',
  users: 'all',
  voicemails: 'all',
}

/**
 * Declares the writes that invalidate cached answers, by table. A new write of a cached table belongs here; the test compares this list
 * with the statements of every method.
 */
export const invalidating: Methods = {
  accounts: [
    'insert',
    'update',
    'verify',
    'setVerificationCode',
    'setTacsAccepted',
    'setSecondFactor',
    'close',
    'bookFeature',
    'cancelFeature',
    'reviewOutbound',
  ],
  addresses: ['insert', 'update'],
  contacts: ['insert', 'update', 'remove', 'removePrivate'],
  devices: ['insert', 'update', 'setSipCredentials', 'remove'],
  extensions: ['create', 'setAlias', 'remove'],
  faxlines: ['create', 'setTagline', 'setCallerId', 'remove'],
  flows: ['insert', 'update', 'remove'],
  groups: ['create', 'update', 'remove', 'replaceMembers', 'removeMember', 'addDevice', 'removeDevice', 'removeDevicesOf'],
  numbers: ['insert', 'setRouting', 'setQuickDial', 'setState', 'approvePlace', 'setMnpRelease', 'setVariables', 'remove'],
  phonelines: [
    'create',
    'update',
    'remove',
    'addDevice',
    'removeDevice',
    'replaceForwardings',
    'insertParallelForwarding',
    'updateParallelForwarding',
    'removeParallelForwarding',
    'removeForwardings',
  ],
  portings: ['insert', 'save'],
  pushSecrets: ['insert', 'expireAll', 'remove'],
  pushSettings: ['save'],
  routingRules: ['put', 'remove', 'removeOf'],
  schedules: ['insert', 'update', 'setOverride', 'remove', 'removeOf'],
  smsLines: ['create', 'remove'],
  users: ['insert', 'update', 'setEmail', 'setPassword', 'setInactive', 'setDefaultDevice', 'clearDefaultDevice', 'disable'],
  voicemails: ['create', 'update', 'remove', 'insertGreeting', 'activateGreeting', 'removeGreeting'],
}

/** Tables whose answers route calls while the database is unreachable. Money and transcripts are queried or unavailable. */
export const rememberedTables = [
  'accounts',
  'addresses',
  'devices',
  'extensions',
  'faxlines',
  'flows',
  'groups',
  'numbers',
  'phonelines',
  'pushSecrets',
  'pushSettings',
  'routingRules',
  'schedules',
  'trunks',
  'users',
  'voicemails',
] as const satisfies (keyof Tables)[]

export const cachedTables = Object.keys(cached) as (keyof Tables)[]

const has = (methods: 'all' | readonly string[] | undefined, method: string): boolean =>
  methods === 'all' || (methods?.includes(method) ?? false)

/** Whether the answers of this method are cached. */
export const isCached = (table: string, method: string): boolean => has(cached[table as keyof Tables], method)

/** Whether the method may change routing data. */
export const invalidatesRouting = (table: string, method: string): boolean => has(invalidating[table as keyof Tables], method)
