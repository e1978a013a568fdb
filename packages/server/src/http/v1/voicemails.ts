import type { voicemailOperations } from '@offhook/contract/v1/voicemails.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Restriction } from '@offhook/contract/restrictions.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { demand } from '#core/account/identity/caller/permissions.ts'
import { addGreeting, chooseGreeting, removeGreeting } from '#core/account/lines/greetings.ts'
import { readGreeting } from '#core/account/lines/greetings.ts'
import { rowId } from '#core/account/lines/row-id.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { greetingWithContent, toGreetingElement, toVoicemailItem, toVoicemailItems } from './voicemails/voicemail-elements.ts'

export const voicemailHandlers = ({
  store,
  clock,
  speech,
}: Pick<HandlerDeps, 'store' | 'clock' | 'speech'>): Handlers<typeof voicemailOperations> => {
  /**
   * A line's voicemail belongs to its owner; a group's is shown to every user, and administrators may change it. Returns it with the user
   * whose history holds the messages.
   */
  const permitted = async (caller: UserCaller, voicemailId: string, ofLine: Restriction, ofGroup: Restriction) => {
    const voicemail = await store.read.voicemails.find(caller.accountId, voicemailId)
    if (!voicemail) throw new Problem('voicemail_not_found')
    const line = await store.read.phonelines.find(caller.accountId, voicemail.owner)
    await demand(store, line ? ofLine : ofGroup, caller, line?.owner)
    return { ...voicemail, userId: line?.owner ?? caller.userId }
  }
  const readable = (caller: UserCaller, id: string) => permitted(caller, id, 'CAN_GET_VOICEMAILS', 'CAN_GET_GROUPS')
  const changeable = (caller: UserCaller, id: string) => permitted(caller, id, 'CAN_CHANGE_VOICEMAILS', 'CAN_CHANGE_GROUPS')

  return {
    listVoicemails: async ({ caller: { accountId, userId } }) => {
      const [lines, groups] = await Promise.all([store.read.phonelines.list(accountId, userId), store.read.groups.list(accountId)])
      const of = async ({ id: extension }: { id: string }, type: 'PHONELINE' | 'GROUP') => {
        const { items } = await toVoicemailItems({ store, speech }, accountId, extension, { userId, base: '/v1/voicemails' })
        return items.map((item) => ({ ...item, belongsToEndpoint: { extension, type } }))
      }
      const found = await Promise.all([...lines.map((line) => of(line, 'PHONELINE')), ...groups.map((group) => of(group, 'GROUP'))])
      return { items: found.flat() }
    },

    getVoicemail: async ({ caller, params }) => {
      const { userId, ...voicemail } = await readable(caller, params.voicemailId)
      return toVoicemailItem({ store, speech }, caller.accountId, voicemail, { userId, base: '/v1/voicemails' })
    },

    changeVoicemail: async ({ caller, params, body }) => {
      const { id } = await changeable(caller, params.voicemailId)
      await store.write((tables) => tables.voicemails.update(caller.accountId, id, body))
    },

    listGreetings: async ({ caller, params }) => {
      const { id } = await readable(caller, params.voicemailId)
      const greetings = await store.read.voicemails.greetings(caller.accountId, id)
      return { items: greetings.map(toGreetingElement) }
    },

    createGreeting: async ({ caller, params, body }) => {
      const { id } = await changeable(caller, params.voicemailId)
      const greeting = { voicemail: id, alias: body.alias, sound: readGreeting(body.base64Content) }
      return toGreetingElement(await store.write((tables) => addGreeting(tables, clock, caller.accountId, greeting)))
    },

    getGreeting: async ({ caller, params }) => {
      const { id } = await readable(caller, params.voicemailId)
      return greetingWithContent(store, caller.accountId, id, params.greetingId)
    },

    changeGreeting: async ({ caller, params, body }) => {
      const { id } = await changeable(caller, params.voicemailId)
      const choice = { voicemail: id, id: rowId(params.greetingId), active: body.active }
      await store.write((tables) => chooseGreeting(tables, caller.accountId, choice))
    },

    deleteGreeting: async ({ caller, params }) => {
      const { id } = await changeable(caller, params.voicemailId)
      await store.write((tables) => removeGreeting(tables, caller.accountId, id, rowId(params.greetingId)))
    },
  }
}
