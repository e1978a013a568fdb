import type { Flow as FlowElement } from '@offhook/contract/v3/flow-values.ts'
import type { Static } from 'typebox'
import { speechOf } from '../../core/flows/flow-speech.ts'
import { toWire } from '../../core/flows/flow-wire.ts'
import type { Speech } from '../../core/ports/speech.ts'
import type { Flow } from '../../core/ports/store/flows.ts'
import type { Tables } from '../../core/ports/store/index.ts'

/** Flows of one account as the interface shows them. */
export const flowView = async (tables: Tables, speech: Speech, accountId: string): Promise<(flow: Flow) => Static<typeof FlowElement>> => {
  const locale = (await tables.accounts.find(accountId))?.locale ?? 'en_US'
  return ({ id, name, settings }) => ({
    id,
    name,
    ...toWire(settings),
    apiKeySet: settings.apiKey !== undefined,
    speech: speechOf(speech, settings, locale),
  })
}
