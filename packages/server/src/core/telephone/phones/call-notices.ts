import { createHash } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import type { PushAddress, PushMessages } from '#core/kernel/ports/outbound.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { PushSubscription } from '#core/kernel/ports/store/device.ts'
import type { CallNotice, SentNotice } from '@offhook/contract/v3/phone.ts'

interface CallNoticesDeps {
  store: Store
  clock: Clock
  vault: Vault
  /** Undefined: the operator has disabled push messages. */
  push: PushMessages | undefined
}

interface User {
  accountId: string
  userId: string
}

/** Time to live of a notice, in seconds: about as long as a phone is left ringing. */
const seconds = 30
/** Maximum push subscriptions per user; more than anyone needs. */
const maxBrowsers = 20

/** Call notices for browsers without an open or visible page. */
export class CallNotices {
  readonly #deps: CallNoticesDeps

  constructor(deps: CallNoticesDeps) {
    this.#deps = deps
  }

  /** VAPID key for the browser; undefined when push messages are disabled. */
  key(): Promise<string> | undefined {
    return this.#deps.push?.key()
  }

  /** Returns the id of the subscription. */
  async subscribe(
    { accountId, userId }: User,
    { endpoint, keys, language }: { endpoint: string; keys: Omit<PushAddress, 'endpoint'>; language: string },
  ): Promise<string> {
    const { push, store, vault, clock } = this.#deps
    if (!push) throw new Problem('push_endpoint_refused', 'Push notifications are switched off on this installation.')
    if (!push.accepts({ endpoint, ...keys })) throw new Problem('push_endpoint_refused')
    const id = createHash('sha256').update(endpoint).digest('base64url')
    const subscription = { id, language, endpointSealed: vault.seal(endpoint), keysSealed: vault.seal(JSON.stringify(keys)) }
    await store.write(async ({ pushSubscriptions }) => {
      await pushSubscriptions.put(accountId, userId, subscription, clock.now())
      const all = await pushSubscriptions.list(accountId, userId)
      for (const old of all.slice(0, Math.max(0, all.length - maxBrowsers))) await pushSubscriptions.remove(accountId, userId, old.id)
    })
    return id
  }

  async unsubscribe({ accountId, userId }: User, id: string): Promise<void> {
    if (!(await this.#deps.store.write(({ pushSubscriptions }) => pushSubscriptions.remove(accountId, userId, id))))
      throw new Problem('not_found')
  }

  /** Push recipient for calls to this device; undefined when there is none. */
  async of(accountId: string, deviceId: string): Promise<Notified | undefined> {
    const { push, store } = this.#deps
    if (!push) return undefined
    const device = await store.read.devices.find(accountId, deviceId)
    if (device?.type !== 'BROWSER') return undefined
    const subscriptions = await store.read.pushSubscriptions.list(accountId, device.owner)
    if (subscriptions.length === 0) return undefined
    const user = { accountId, userId: device.owner }
    return { userId: device.owner, notify: (notice) => this.#notify(push, user, subscriptions, notice) }
  }

  async #notify(
    push: PushMessages,
    { accountId, userId }: User,
    subscriptions: readonly PushSubscription[],
    notice: CallNotice,
  ): Promise<boolean> {
    const { store, vault } = this.#deps
    const notified = subscriptions.map(async ({ id, endpointSealed, keysSealed, language }) => {
      const keys = JSON.parse(vault.open(keysSealed)) as Omit<PushAddress, 'endpoint'>
      const sent: SentNotice = { ...notice, language }
      const text = JSON.stringify(sent)
      const outcome = await push.send({ endpoint: vault.open(endpointSealed), ...keys }, { text, seconds, topic: notice.callId })
      if (outcome === 'gone') await store.write(({ pushSubscriptions }) => pushSubscriptions.remove(accountId, userId, id))
      return outcome === 'sent'
    })
    return (await Promise.all(notified)).includes(true)
  }
}

export interface Notified {
  userId: string
  /** True when at least one browser will show it. */
  notify: (notice: CallNotice) => Promise<boolean>
}
