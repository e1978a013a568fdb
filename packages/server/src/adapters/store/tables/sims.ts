import type { Sims } from '../../../core/ports/store/sims.ts'
import type { Db } from '../schema/index.ts'

export const sims = (_db: Db): Sims => ({})
