import type { Portings } from '../../../core/ports/store/portings.ts'
import type { Db } from '../schema/index.ts'

export const portings = (_db: Db): Portings => ({})
