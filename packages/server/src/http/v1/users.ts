import { Problem } from '@offhook/contract/problem.ts'
import type { userOperations } from '@offhook/contract/v1/users.ts'
import { setDefaultDevice } from '#core/account/devices/default-device.ts'
import type { User } from '#core/kernel/ports/store/account/users.ts'
import type { Handlers } from '../handler/context.ts'
import type { SecondFactorDeps } from '../handler/second-factor-actions.ts'
import { peopleHandlers, type PeopleDeps } from './users/people.ts'
import { userSecondFactorHandlers } from './users/user-second-factor.ts'

export const userHandlers = (deps: SecondFactorDeps & PeopleDeps): Handlers<typeof userOperations> => {
  const { store } = deps
  return {
    ...userSecondFactorHandlers(deps),
    ...peopleHandlers(deps),
    listUsers: async ({ caller }) => {
      const users = await store.read.users.list(caller.accountId)
      return { items: users.filter(({ id }) => caller.admin || id === caller.userId).map(toElement) }
    },

    getUser: async ({ caller, params }) => {
      const user = await store.read.users.find(caller.accountId, params.userId)
      if (!user) throw new Problem('user_not_found')
      return toElement(user)
    },

    setDefaultDevice: ({ caller, params, body }) =>
      store.write((tables) => setDefaultDevice(tables, caller.accountId, params.userId, body.deviceId)),
  }
}

const toElement = ({
  id,
  firstname,
  lastname,
  email,
  defaultDevice,
  admin,
  role,
  active,
  busyOnBusy,
  addressId,
  timezone,
  locale,
  localeChosen,
}: User) => ({
  id,
  firstname,
  lastname,
  email,
  defaultDevice: defaultDevice ?? '',
  admin,
  role,
  active,
  busyOnBusy,
  timezone,
  locale,
  localeChosen,
  ...(addressId !== undefined && { addressId: String(addressId) }),
})
