import type { Trunks } from '../../../core/ports/store/trunks.ts'
import type { Db } from '../schema/index.ts'

export const trunks = (_db: Db): Trunks => ({})
