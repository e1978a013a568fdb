import type { Portings } from '../../../core/ports/store/portings.ts'
import type { Dialect } from '../dialect.ts'
import type { Db } from '../schema/index.ts'

export const portings = (_db: Db, _dialect: Dialect): Portings => ({})
