import type { PushLogEntry } from '@offhook/contract/push-log-entry.ts'
import type { Static } from 'typebox'
import type { PushExchange } from '#core/kernel/ports/store/push.ts'

export const toPushLogElement = ({ at, url, request, response, xmlError, status }: PushExchange): Static<typeof PushLogEntry> => ({
  created: new Date(at).toISOString(),
  url,
  request,
  response,
  xmlError: xmlError ?? '',
  status: status ?? 0,
})
