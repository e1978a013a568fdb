import type { Changes } from '../ports/changes.ts'
import type { Store, Tables } from '../ports/store/index.ts'
import { publishAfterCommit } from '../watched-writes.ts'

type ChangeTables = { [Table in keyof Tables]?: readonly (keyof Tables[Table])[] }

/** By table: the methods after which what was read of it may be wrong. Their first argument, or its `id`, says whose it is. */
const always: ChangeTables = {
  trunkHolders: ['note', 'release'],
  trunks: ['insert', 'update', 'remove'],
}

/** What calls are led by, which is remembered where the database can be away. Where phones are registered changes too often to be told. */
const routing: ChangeTables = {
  accounts: ['update', 'verify', 'setTacsAccepted', 'close', 'bookFeature', 'cancelFeature', 'reviewOutbound'],
  addresses: ['insert', 'update'],
  devices: ['insert', 'update', 'setSipCredentials', 'remove'],
  extensions: ['create', 'setAlias', 'remove'],
  faxlines: ['create', 'setTagline', 'setCallerId', 'remove'],
  flows: ['insert', 'update', 'remove'],
  groups: ['create', 'update', 'remove', 'replaceMembers', 'removeMember', 'addDevice', 'removeDevice', 'removeDevicesOf'],
  numbers: ['insert', 'setRouting', 'setQuickDial', 'setState', 'approvePlace', 'setMnpRelease', 'remove'],
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
  pushSecrets: ['insert', 'expireAll', 'remove'],
  pushSettings: ['save'],
  users: ['insert', 'update', 'setDefaultDevice', 'clearDefaultDevice', 'disable'],
  voicemails: ['create', 'update', 'remove', 'insertGreeting', 'activateGreeting', 'removeGreeting'],
}

/** The same store, which tells all processes what was changed as soon as that is committed, whoever changed it. */
export const publishChanges = (store: Store, changes: Changes): Store => {
  const telling = Object.entries(store.reach ? { ...always, ...routing } : always)
  return publishAfterCommit(
    store,
    (tables, touched) => noting(tables, telling, touched),
    (one) => notify(changes, one),
  )
}

const notify = (changes: Changes, touched: string): void => {
  const [table = '', id = ''] = touched.split(' ')
  changes.notify(table as keyof Tables, id)
}

const noting = (tables: Tables, telling: readonly [string, readonly string[]][], touched: () => Set<string>): Tables => {
  const noted = telling.map(([table, methods]) => [
    table,
    notingTable(tables[table as keyof Tables], methods, (id) => touched().add(`${table} ${id}`)),
  ])
  return { ...tables, ...(Object.fromEntries(noted) as Partial<Tables>) }
}

type Method = (first: unknown, ...rest: unknown[]) => unknown

const notingTable = (table: object, methods: readonly string[], note: (id: string) => void): object => {
  const noted = methods.map((name): [string, Method] => {
    const method = (table as Record<string, Method>)[name]
    return [
      name,
      (first, ...rest) => {
        note(idOf(first))
        return method?.call(table, first, ...rest)
      },
    ]
  })
  return { ...table, ...Object.fromEntries(noted) }
}

const idOf = (first: unknown): string => (typeof first === 'string' ? first : (first as { id: string }).id)
