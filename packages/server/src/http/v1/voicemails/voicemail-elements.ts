import { Problem } from '@offhook/contract/problem.ts'
import type { GreetingWithContent, Voicemail as VoicemailElement } from '@offhook/contract/v1/voicemails/voicemail-elements.ts'
import type { Static } from 'typebox'
import { rowId } from '#core/account/lines/row-id.ts'
import { writerOf } from '#core/telephone/recordings/transcribe-message.ts'
import type { HandlerDeps } from '#http/handler/handler-deps.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Greeting, Voicemail } from '#core/kernel/ports/store/line.ts'

/** Number that users dial inside their account to hear their messages. */
const accessNumber = '50000'

interface Addresses {
  /** User whose history holds the messages, for the addresses of their texts. */
  userId: string
  /** Address prefix before the voicemail's id. */
  base: string
}

type VoicemailDeps = Pick<HandlerDeps, 'store' | 'speech'>

type VoicemailItem = Static<typeof VoicemailElement>

export const toVoicemailItem = async (
  { store, speech }: VoicemailDeps,
  accountId: string,
  { id, alias, timeout, active, transcription }: Voicemail,
  { userId, base }: Addresses,
): Promise<VoicemailItem> => {
  const greetings = await store.read.voicemails.greetings(accountId, id)
  const greeting = greetings.find((one) => one.active)
  return {
    id,
    alias,
    timeout,
    active,
    transcription,
    canTranscribe: writerOf(speech) !== undefined,
    transcriptionsUrl: `/v2/${userId}/history?types=VOICEMAIL&connectionIds=${id}`,
    greetingsUrl: `${base}/${id}/greetings`,
    activeGreetingAlias: greeting?.alias ?? '',
    activeGreetingId: greeting ? String(greeting.id) : '',
    accessNumber,
  }
}

/** All voicemails of a phone line or group. */
export const toVoicemailItems = async (
  deps: VoicemailDeps,
  accountId: string,
  owner: string,
  addresses: Addresses,
): Promise<{ items: VoicemailItem[] }> => {
  const voicemails = await deps.store.read.voicemails.listByOwner(accountId, owner)
  return { items: await Promise.all(voicemails.map((voicemail) => toVoicemailItem(deps, accountId, voicemail, addresses))) }
}

export const toGreetingElement = ({ id, alias, active, durationMs }: Greeting) => ({
  id: String(id),
  alias,
  active,
  duration: durationMs / 1e3,
})

export const greetingWithContent = async (
  store: Store,
  accountId: string,
  voicemail: string,
  greetingId: string,
): Promise<Static<typeof GreetingWithContent>> => {
  const greeting = await store.read.voicemails.findGreeting(accountId, voicemail, rowId(greetingId))
  if (!greeting) throw new Problem('greeting_not_found')
  return { ...toGreetingElement(greeting), base64Content: greeting.audio }
}
