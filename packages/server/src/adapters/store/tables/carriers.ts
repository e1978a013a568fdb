import type { Carriers } from '../../../core/ports/store/carriers.ts'
import type { Db } from '../schema/index.ts'

export const carriers = (_db: Db): Carriers => ({})
