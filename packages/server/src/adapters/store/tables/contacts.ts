import type { Contacts } from '../../../core/ports/store/contacts.ts'
import type { Db } from '../schema/index.ts'

export const contacts = (_db: Db): Contacts => ({})
