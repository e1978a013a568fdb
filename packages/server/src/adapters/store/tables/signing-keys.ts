import type { SigningKeys } from '../../../core/ports/store/signing-keys.ts'
import type { Db } from '../schema/index.ts'

export const signingKeys = (_db: Db): SigningKeys => ({})
