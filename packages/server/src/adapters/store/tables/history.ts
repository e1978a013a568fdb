import type { History } from '../../../core/ports/store/history.ts'
import type { Db } from '../schema/index.ts'

export const history = (_db: Db): History => ({})
