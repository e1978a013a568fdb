import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, type CompiledQuery, type DatabaseConnection } from 'kysely'
import type { Schema } from '#adapters/store/schema/index.ts'
import { tables } from '#adapters/store/tables/index.ts'

/** Tables that a method reads and writes. */
export interface Said {
  reads: ReadonlySet<string>
  writes: ReadonlySet<string>
}

/** Array members that are column names here. */
const notOfLists: readonly PropertyKey[] = ['at', 'find', 'keys', 'values', 'entries']

/** Stands in for every argument of a method, and for every row that it finds: a list, a text, an object. */
const anything: unknown = new Proxy(['1'], {
  get(list, name) {
    if (name === 'then') return undefined
    if (notOfLists.includes(name)) return anything
    if (name in list) return Reflect.get(list, name)
    const ofText: unknown = Reflect.get(String.prototype, name)
    return typeof ofText === 'function' ? (ofText.bind('1') as unknown) : anything
  },
})

/** Calls every method of every table with dummy arguments on a fake database, and collects its statements. The tables of this process keep what they learnt. */
export const everyMethod = async (): Promise<Map<string, Said>> => {
  const spoken: string[] = []
  const connection: DatabaseConnection = {
    async executeQuery<R>({ sql }: CompiledQuery) {
      spoken.push(sql)
      return { rows: [anything as R], numAffectedRows: 1n }
    },
    async *streamQuery() {},
  }
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => ({
        init: async () => {},
        acquireConnection: async () => connection,
        beginTransaction: async () => {},
        commitTransaction: async () => {},
        rollbackTransaction: async () => {},
        releaseConnection: async () => {},
        destroy: async () => {},
      }),
      createIntrospector: (known) => new SqliteIntrospector(known),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  const said = new Map<string, Said>()
  for (const [table, methods] of Object.entries(tables(db, 'sqlite')))
    for (const [name, method] of Object.entries(methods as Record<string, (...given: unknown[]) => unknown>)) {
      spoken.length = 0
      try {
        await method(anything, anything, anything, anything)
      } catch {
        // Statements up to the error count.
      }
      said.set(`${table}.${name}`, {
        reads: named(spoken, /(?:from|join) "?(\w+)/g),
        writes: named(spoken, /(?:into|update|delete from) "?(\w+)/g),
      })
    }
  return said
}

const named = (spoken: readonly string[], place: RegExp): Set<string> =>
  new Set(spoken.flatMap((sql) => [...sql.matchAll(place)].map(([, table = '']) => table)))
