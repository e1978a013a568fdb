import type { PushSettings } from '../../../core/ports/store/push-settings.ts'
import type { Db } from '../schema/index.ts'

export const pushSettings = (_db: Db): PushSettings => ({})
