import type { Changes, Store, Tables } from '../ports/store/index.ts'
import { publishAfterCommit } from '../watched-store.ts'
import type { Bus } from '../ports/platform.ts'
import { invalidating, rememberedTables } from './routing-answers.ts'

type ChangeTables = { [Table in keyof Tables]?: readonly (keyof Tables[Table])[] }

/** By table: the methods that invalidate cached rows. Their first argument, or its `id`, is the cache key. */
const always: ChangeTables = {
  trunkHolders: ['note', 'release'],
  trunks: ['insert', 'update', 'remove'],
}

/** Tables that calls read from memory while the database is unreachable. Registrations change too often to be published. */
const remembered: ChangeTables = Object.fromEntries(rememberedTables.map((table) => [table, invalidating[table] ?? []]))

/** Wraps the store so that it publishes each change to all nodes after the commit. */
export const publishChanges = (store: Store, changes: Changes): Store => {
  const telling = Object.entries(store.reach ? { ...remembered, ...always } : always)
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

/** Publishes over the bus. Notifications are lost while the bus is down, hence `onDoubt` on reconnect. */
export const busChanges = (bus: Bus): Changes => ({
  notify: (table, id) => bus.notify(subjectOf(table), id),
  on: (table, changed) => bus.hear(subjectOf(table), (id) => changed(id as string)),
  onDoubt: (doubt) => bus.onConnection((connected) => connected && doubt()),
})

const subjectOf = (table: keyof Tables): string => `changed.${table}`
