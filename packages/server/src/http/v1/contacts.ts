import type { contactOperations } from '@offhook/contract/v1/contacts.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const contactHandlers = (_parts: Parts): Handlers<typeof contactOperations> => ({})
