import type { Numbers } from '../../../core/ports/store/numbers.ts'
import type { Db } from '../schema/index.ts'

export const numbers = (_db: Db): Numbers => ({})
