import type { OidcRecords } from '../../../core/ports/store/oidc-records.ts'
import type { Db } from '../schema/index.ts'

export const oidcRecords = (_db: Db): OidcRecords => ({})
