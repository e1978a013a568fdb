import type { voicemailOperations } from '@offhook/contract/v1/voicemails.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const voicemailHandlers = (_parts: Parts): Handlers<typeof voicemailOperations> => ({})
