import type { Group as GroupElement, groupOperations } from '@offhook/contract/v1/groups.ts'
import { Problem } from '@offhook/contract/problem.ts'
import type { Static } from 'typebox'
import { coversGroup } from '#core/account/identity/caller/grants.ts'
import { demand } from '#core/account/identity/caller/permissions.ts'
import { groupOf } from '#core/account/lines/find-line.ts'
import { changeGroup, createGroup, deleteGroup, groupSettings } from '#core/account/lines/group.ts'
import type { Group } from '#core/kernel/ports/store/line.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'
import { toNumberItems } from './numbers/number-view.ts'
import { toVoicemailItems } from './voicemails/voicemail-elements.ts'
import { auditByUser } from '#core/kernel/audit/audit.ts'

export const groupHandlers = ({
  store,
  clock,
  cleanups,
  speech,
}: Pick<HandlerDeps, 'store' | 'clock' | 'cleanups' | 'speech'>): Handlers<typeof groupOperations> => {
  return {
    listGroups: async ({ caller, query: { userId } }) => {
      const { groups, users } = store.read
      if (userId !== undefined && !(await users.find(caller.accountId, userId))) throw new Problem('user_not_found')
      const found = await (userId === undefined ? groups.list(caller.accountId) : groups.listByMember(caller.accountId, userId))
      return { items: found.filter(({ id }) => coversGroup(caller, 'CAN_GET_GROUPS', id)).map(toGroupElement) }
    },

    createGroup: async ({ caller, body }) => {
      const id = await store.write(async (tables) => {
        const created = await createGroup(tables, clock, caller.accountId, body)
        await auditByUser(tables, clock, caller, 'group.create', created, body)
        return created
      })
      return groupSettings(store.read, caller.accountId, await groupOf(store.read, caller.accountId, id))
    },

    getGroup: async ({ caller, params }) =>
      groupSettings(store.read, caller.accountId, await groupOf(store.read, caller.accountId, params.groupId)),

    changeGroup: ({ caller, params, body }) =>
      store.write(async (tables) => {
        await changeGroup(tables, { clock, cleanups }, caller.accountId, params.groupId, body)
        await auditByUser(tables, clock, caller, 'group.change', params.groupId, body)
      }),

    deleteGroup: ({ caller, params }) =>
      store.write(async (tables) => {
        await deleteGroup(tables, { clock, cleanups }, caller.accountId, params.groupId)
        await auditByUser(tables, clock, caller, 'group.delete', params.groupId)
      }),

    listGroupNumbers: async ({ caller, params }) => {
      const group = await groupOf(store.read, caller.accountId, params.groupId)
      return toNumberItems(store, caller.accountId, await store.read.numbers.listByEndpoint(caller.accountId, group.id))
    },

    listGroupUsers: async ({ caller, params }) => {
      const group = await groupOf(store.read, caller.accountId, params.groupId)
      const members = await store.read.groups.members(caller.accountId, group.id)
      const users = await Promise.all(members.map((id) => store.read.users.find(caller.accountId, id)))
      const items = users.filter((user) => user !== undefined)
      return { items: items.map(({ id, firstname, lastname }) => ({ id, firstname, lastname, userUrl: `/v1/users/${id}` })) }
    },

    listGroupVoicemails: async ({ caller, params }) => {
      const group = await groupOf(store.read, caller.accountId, params.groupId)
      return toVoicemailItems({ store, speech }, caller.accountId, group.id, { userId: caller.userId, base: '/v1/voicemails' })
    },

    listGroupFaxlines: async ({ caller, params }) => {
      const group = await groupOf(store.read, caller.accountId, params.groupId)
      const faxlines = await store.read.faxlines.listByOwner(caller.accountId, group.id)
      return { items: faxlines.map(({ id, alias }) => ({ id, alias })) }
    },

    listGroupDevices: async ({ caller, params }) => {
      const group = await groupOf(store.read, caller.accountId, params.groupId)
      return { items: await store.read.groups.devices(caller.accountId, group.id) }
    },

    addGroupDevice: async ({ caller, params, body }) => {
      const device = await store.read.devices.find(caller.accountId, body.deviceId)
      if (!device) throw new Problem('device_not_found')
      await demand(store, 'CAN_CHANGE_DEVICES', caller, device.owner)
      await store.write(async (tables) => {
        const group = await groupOf(tables, caller.accountId, params.groupId)
        const members = await tables.groups.members(caller.accountId, group.id)
        if (!members.includes(device.owner)) throw new Problem('conflict', 'The owner of the device is not a member of the group.')
        await tables.groups.addDevice(caller.accountId, group.id, device.id)
      })
    },

    removeGroupDevice: async ({ caller, params }) => {
      const device = await store.read.devices.find(caller.accountId, params.deviceId)
      if (!device) throw new Problem('device_not_found')
      await demand(store, 'CAN_CHANGE_DEVICES', caller, device.owner)
      await store.write(async (tables) => {
        const group = await groupOf(tables, caller.accountId, params.groupId)
        if (!(await tables.groups.removeDevice(caller.accountId, group.id, device.id))) throw new Problem('device_not_found')
      })
    },
  }
}

const toGroupElement = ({ id, alias, departmentId }: Group): Static<typeof GroupElement> => ({
  id,
  alias,
  groupNumbersUrl: `/v1/groups/${id}/numbers`,
  groupUsersUrl: `/v1/groups/${id}/users`,
  ...(departmentId !== undefined && { departmentId }),
})
