import type { PasswordResets } from '../../../core/ports/store/password-resets.ts'
import type { Db } from '../schema/index.ts'

export const passwordResets = (_db: Db): PasswordResets => ({})
