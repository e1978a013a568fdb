import type { Flows } from '../../../core/ports/store/flows.ts'
import type { Db } from '../schema/index.ts'

export const flows = (_db: Db): Flows => ({})
