import type { Tariffs } from '../../../core/ports/store/tariffs.ts'
import type { Db } from '../schema/index.ts'

export const tariffs = (_db: Db): Tariffs => ({})
