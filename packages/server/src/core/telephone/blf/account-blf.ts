import { Problem } from '@offhook/contract/problem.ts'
import type { StationCall, Occupancy } from '../call/state/occupancy.ts'
import { extensionsOf } from '#core/account/history/own-extensions.ts'
import type { BlfEntry, BlfCall, BlfKind, BlfEntries, Watcher } from '#core/kernel/ports/calls.ts'
import type { Account } from '#core/kernel/ports/store/account.ts'
import type { Device } from '#core/kernel/ports/store/device.ts'
import type { Store, Tables } from '#core/kernel/ports/store/index.ts'
import { voicemailAccess } from '../orders/parties.ts'
import { dialledByDevice } from '../routing/inbound/destination.ts'
import type { Watchers } from '#core/kernel/watchers.ts'

interface LampDeps {
  store: Store
  occupancy: Occupancy
  /** Keyed by account. */
  messageWaiting: Watchers
}

/** BLF and MWI a phone may subscribe to: messages of its user, and calls of phones, lines and groups in its account. */
export const accountBlf = (deps: LampDeps): BlfEntries => ({
  messageAccess: voicemailAccess,
  async find(watcher, kind, name) {
    const { read } = deps.store
    const [account, device] = await Promise.all([
      read.accounts.find(watcher.accountId),
      read.devices.find(watcher.accountId, watcher.deviceId),
    ])
    if (!account || !device) return undefined
    return blfFinders[kind](deps, { watcher, account, device }, name)
  },
})

interface Seeker {
  watcher: Watcher
  account: Account
  device: Device
}

type FindBlfEntry = (deps: LampDeps, seeker: Seeker, name: string) => Promise<BlfEntry | undefined>

/** Own name, device id or voicemail access number: all messages of the phone's user. Voicemail id: only that mailbox. */
const findMessages: FindBlfEntry = async ({ store, messageWaiting }, { watcher, device }, name) => {
  const { accountId, username, deviceId } = watcher
  const owned = async (): Promise<string[]> =>
    (await extensionsOf(store.read, accountId, device.owner)).filter((extension) => extension.startsWith('v'))
  const isAll = [username, deviceId, voicemailAccess, ''].includes(name)
  if (!isAll && !(await owned()).includes(name)) return undefined
  const count = (connectionIds: readonly string[], read: boolean): Promise<number> =>
    store.read.history.count(accountId, { types: ['VOICEMAIL'], connectionIds, archived: false, read })
  return {
    async state() {
      if (!(await mayStillWatch(store.read, watcher))) return undefined
      const voicemails = (await owned()).filter((extension) => isAll || extension === name)
      const [fresh, heard] = await Promise.all([count(voicemails, false), count(voicemails, true)])
      return { kind: 'messages', fresh, heard }
    },
    watch: (changed) => messageWaiting.watch(accountId, changed),
  }
}

/** Any extension that can be dialled inside the account can be watched. */
const findCalls: FindBlfEntry = async ({ store, occupancy }, { watcher, account, device }, name) => {
  const { accountId } = watcher
  const extension = await extensionOf(store.read, account, device, name)
  const deviceIds = extension === undefined ? undefined : await devicesOf(store.read, accountId, extension)
  return (
    deviceIds && {
      async state() {
        if (!(await mayStillWatch(store.read, watcher))) return undefined
        return { kind: 'calls', calls: deviceIds.flatMap((deviceId) => occupancy.callsOf({ accountId, deviceId }).map(blfCall)) }
      },
      watch(changed) {
        const ends = deviceIds.map((deviceId) => occupancy.watch({ accountId, deviceId }, changed))
        return () => {
          for (const end of ends) end()
        }
      },
    }
  )
}

const blfFinders: Record<BlfKind, FindBlfEntry> = { messages: findMessages, calls: findCalls }

const extensionOf = async (tables: Tables, account: Account, device: Device, name: string): Promise<string | undefined> => {
  try {
    const found = await dialledByDevice(tables, account, device, name)
    return found.kind === 'extension' && found.accountId === account.id ? found.extension : undefined
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** Device ids of an extension; undefined for extensions without phones. */
const devicesOf = async (tables: Tables, accountId: string, extension: string): Promise<string[] | undefined> => {
  switch (extension.charAt(0)) {
    case 'e':
    case 'x':
    case 'y':
      return (await tables.devices.find(accountId, extension)) && [extension]
    case 'p':
      return (await tables.phonelines.find(accountId, extension)) && idsOf(await tables.phonelines.devices(accountId, extension))
    case 'g':
      return (await tables.groups.find(accountId, extension)) && idsOf(await tables.groups.devices(accountId, extension))
    default:
      return undefined
  }
}

const idsOf = (devices: readonly { id: string }[]): string[] => devices.map(({ id }) => id)

/** False once the phone, its user or its account was removed. */
const mayStillWatch = async (tables: Tables, { username, accountId, deviceId }: Watcher): Promise<boolean> => {
  const identity = await tables.devices.findBySipUsername(username)
  return identity?.accountId === accountId && identity.deviceId === deviceId
}

const blfCall = ({ id, role, state }: StationCall): BlfCall => ({ id, direction: role === 'caller' ? 'outgoing' : 'incoming', state })
