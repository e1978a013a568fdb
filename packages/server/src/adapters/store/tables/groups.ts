import type { Groups } from '../../../core/ports/store/groups.ts'
import type { Db } from '../schema/index.ts'

export const groups = (_db: Db): Groups => ({})
