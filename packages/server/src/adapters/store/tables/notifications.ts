import type { Notifications } from '../../../core/ports/store/notifications.ts'
import type { Db } from '../schema/index.ts'

export const notifications = (_db: Db): Notifications => ({})
