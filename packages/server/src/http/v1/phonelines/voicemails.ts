import type { phonelineVoicemailOperations } from '@offhook/contract/v1/phonelines/voicemails.ts'
import { phonelineOf, voicemailOf } from '#core/account/lines/find-line.ts'
import { addGreeting, chooseGreeting, removeGreeting } from '#core/account/lines/greetings.ts'
import { readGreeting } from '#core/account/lines/greeting-wav.ts'
import { rowId } from '#core/account/lines/row-id.ts'
import type { Handlers } from '#http/handler/context.ts'
import type { HandlerDeps } from '#http/handler/handler-parts.ts'
import { greetingWithContent, toGreetingElement, toVoicemailItem, toVoicemailItems } from '../voicemails/voicemail-elements.ts'

export const phonelineVoicemailHandlers = ({
  store,
  clock,
  speech,
}: Pick<HandlerDeps, 'store' | 'clock' | 'speech'>): Handlers<typeof phonelineVoicemailOperations> => ({
  listPhonelineVoicemails: async ({ caller, params }) => {
    const line = await phonelineOf(store.read, caller.accountId, params)
    const addresses = { userId: params.userId, base: `/v1/${params.userId}/phonelines/${line.id}/voicemails` }
    return toVoicemailItems({ store, speech }, caller.accountId, line.id, addresses)
  },

  getPhonelineVoicemail: async ({ caller, params }) => {
    const voicemail = await voicemailOf(store.read, caller.accountId, params)
    const addresses = { userId: params.userId, base: `/v1/${params.userId}/phonelines/${voicemail.owner}/voicemails` }
    return toVoicemailItem({ store, speech }, caller.accountId, voicemail, addresses)
  },

  changePhonelineVoicemail: ({ caller, params, body }) =>
    store.write(async (tables) => {
      const voicemail = await voicemailOf(tables, caller.accountId, params)
      await tables.voicemails.update(caller.accountId, voicemail.id, body)
    }),

  listPhonelineGreetings: async ({ caller, params }) => {
    const voicemail = await voicemailOf(store.read, caller.accountId, params)
    const greetings = await store.read.voicemails.greetings(caller.accountId, voicemail.id)
    return { items: greetings.map(toGreetingElement) }
  },

  createPhonelineGreeting: async ({ caller, params, body }) => {
    const sound = readGreeting(body.base64Content)
    const greeting = await store.write(async (tables) => {
      const voicemail = await voicemailOf(tables, caller.accountId, params)
      return addGreeting(tables, clock, caller.accountId, { voicemail: voicemail.id, alias: body.alias, sound })
    })
    return toGreetingElement(greeting)
  },

  getPhonelineGreeting: async ({ caller, params }) => {
    const voicemail = await voicemailOf(store.read, caller.accountId, params)
    return greetingWithContent(store, caller.accountId, voicemail.id, params.greetingId)
  },

  changePhonelineGreeting: ({ caller, params, body }) =>
    store.write(async (tables) => {
      const voicemail = await voicemailOf(tables, caller.accountId, params)
      const choice = { voicemail: voicemail.id, id: rowId(params.greetingId), active: body.active }
      await chooseGreeting(tables, caller.accountId, choice)
    }),

  deletePhonelineGreeting: ({ caller, params }) =>
    store.write(async (tables) => {
      const voicemail = await voicemailOf(tables, caller.accountId, params)
      await removeGreeting(tables, caller.accountId, voicemail.id, rowId(params.greetingId))
    }),
})
