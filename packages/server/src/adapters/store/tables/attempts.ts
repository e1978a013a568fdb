import type { Attempts } from '../../../core/ports/store/attempts.ts'
import type { Db } from '../schema/index.ts'

export const attempts = (_db: Db): Attempts => ({})
