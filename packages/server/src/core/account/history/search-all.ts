import type { Restriction } from '@offhook/contract/restrictions.ts'
import type { Scope } from '@offhook/contract/scopes.ts'
import type { FoundItem } from '@offhook/contract/v1/search.ts'
import type { Static } from 'typebox'
import { folded, namesOf } from '../contacts/names.ts'
import type { TypedSearch } from '#core/kernel/ports/store/account.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { coversAssistant, type Grants } from '../identity/caller/grants.ts'
import { viewerOf } from './own-extensions.ts'

type Found = Static<typeof FoundItem>
type Kind = Found['kind']
type Finder = (tables: Tables, caller: Omit<SearchInput, 'search'>, search: TypedSearch) => Promise<Omit<Found, 'kind'>[]>

const maxPerKind = 8

interface SearchInput {
  accountId: string
  userId: string
  admin: boolean
  scopes: readonly Scope[]
  grants?: Grants | undefined
  search: TypedSearch
}

/** Searches everything by a few letters or digits; each kind only for users who may read it elsewhere. */
export const searchAll = async (tables: Tables, { search, ...caller }: SearchInput): Promise<Found[]> => {
  const { scopes, grants } = caller
  const asked = finders.filter(
    ({ scope, permission }) => (scopes.includes('all') || scopes.includes(scope)) && (!grants || grants[permission] !== undefined),
  )
  const found = await Promise.all(
    asked.map(async ({ kind, find }) => (await find(tables, caller, search)).slice(0, maxPerKind).map((item) => ({ kind, ...item }))),
  )
  return found.flat()
}

const contacts: Finder = async (tables, { accountId, userId }, search) =>
  (await tables.contacts.listVisible(accountId, userId, { search, limit: maxPerKind })).map(({ id, name, numbers, emails }) => ({
    id,
    title: name,
    subtitle: numbers[0] ?? emails[0] ?? '',
    path: `/contacts?q=${encodeURIComponent(name)}`,
    ...(numbers[0] !== undefined && { number: numbers[0] }),
  }))

const numbers: Finder = async (tables, { accountId, userId, admin }, search) => {
  const all = admin ? await tables.numbers.list(accountId) : await tables.numbers.listByUser(accountId, userId)
  return all.flatMap(({ id, e164, short, endpointAlias = '' }) => {
    const number = e164 ?? short ?? ''
    return fits(search, [endpointAlias], [number]) ? [{ id, title: number, subtitle: endpointAlias, path: '/numbers', number }] : []
  })
}

const flows: Finder = async (tables, caller, search) =>
  (await tables.flows.names(caller.accountId)).flatMap(({ id, name }) =>
    coversAssistant(caller, 'CAN_GET_FLOWS', id) && fits(search, [name])
      ? [{ id, title: name, subtitle: '', path: `/flows/${encodeURIComponent(id)}` }]
      : [],
  )

const devices: Finder = async (tables, { accountId, userId, admin }, search) => {
  const all = admin ? await tables.devices.list(accountId) : await tables.devices.listByOwner(accountId, userId)
  return all.flatMap(({ id, alias }) => (fits(search, [alias, id]) ? [{ id, title: alias, subtitle: id, path: `/devices/${id}` }] : []))
}

const users: Finder = async (tables, { accountId, userId, admin }, search) =>
  (await tables.users.list(accountId)).flatMap(({ id, firstname, lastname, email }) => {
    const name = `${firstname} ${lastname}`.trim()
    const may = admin || id === userId
    return may && fits(search, [name, email]) ? [{ id, title: name, subtitle: email, path: `/users/${id}` }] : []
  })

const calls: Finder = async (tables, { accountId, userId }, { digits, names: parts }) => {
  const seenBy = await viewerOf(tables, accountId, userId)
  const entries = await tables.history.list(
    accountId,
    { seenBy, types: ['CALL'], search: { userId, digits, names: parts } },
    { limit: maxPerKind },
  )
  const peers = entries.map(({ direction, source, target }) => (direction.endsWith('INCOMING') ? source : target))
  const names = await namesOf(tables, accountId, userId, peers)
  return entries.map(({ id, createdAt }, at) => {
    const number = peers[at] ?? ''
    const name = names.get(number)?.name
    const subtitle = name === undefined ? '' : number
    return {
      id,
      title: name ?? number,
      subtitle,
      at: new Date(createdAt).toISOString(),
      path: `/calls/history/${encodeURIComponent(id)}`,
      number,
    }
  })
}

const finders: { kind: Kind; scope: Scope; permission: Restriction; find: Finder }[] = [
  { kind: 'CONTACT', scope: 'contacts:read', permission: 'CAN_GET_CONTACTS', find: contacts },
  { kind: 'NUMBER', scope: 'numbers:read', permission: 'CAN_GET_NUMBERS', find: numbers },
  { kind: 'FLOW', scope: 'all', permission: 'CAN_GET_FLOWS', find: flows },
  { kind: 'DEVICE', scope: 'devices:read', permission: 'CAN_GET_DEVICES', find: devices },
  { kind: 'USER', scope: 'users:read', permission: 'CAN_GET_USERS', find: users },
  { kind: 'CALL', scope: 'history:read', permission: 'CAN_GET_HISTORY', find: calls },
]

/** Letters match names; digits match numbers and names. */
const fits = ({ digits, names }: TypedSearch, called: readonly string[], numbersOf: readonly string[] = []): boolean =>
  digits.some((part) => [...numbersOf, ...called].some((value) => value.includes(part))) ||
  names.some((part) => called.some((value) => folded(value).includes(part)))
