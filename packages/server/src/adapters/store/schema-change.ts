import type { Dialect } from './schema/dialect.ts'

/**
 * One change of the schema. `expand`: the release before goes on working with it, so that both run side by side and the newer one can be
 * taken back. `contract`: takes away what the release before does not use any more.
 */
export interface SchemaChange {
  kind: 'expand' | 'contract'
  /** Counted from 1; one for each version that is given to others with changes of the schema. */
  release: number
  statements: (dialect: Dialect) => string[]
}

export const expand = (release: number, statements: SchemaChange['statements']): SchemaChange => ({ kind: 'expand', release, statements })
