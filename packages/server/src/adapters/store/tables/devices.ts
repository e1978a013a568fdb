import type { Devices } from '../../../core/ports/store/devices.ts'
import type { Db } from '../schema/index.ts'

export const devices = (_db: Db): Devices => ({})
