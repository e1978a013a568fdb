import { api } from '#api/client.ts'
import { forget, keep, kept } from '#api/kept.ts'
import type { Language } from '#words/languages.ts'

/** Why this browser gets no call notifications. */
export type PushProblem = 'pushOff' | 'pushRefused' | 'pushMissing' | 'pushFailed'

const worker = '/console/sw.js'
const scope = '/console/'
const note = 'phone.push'

export const isPushed = (): boolean => kept(note) !== undefined

/** Asks the person, the browser's push service and ours; returns the problem, if any. */
export const startPush = async (language: Language): Promise<PushProblem | undefined> => {
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis)) return 'pushMissing'
  const { key } = await api.getPushKey()
  if (key === null) return 'pushOff'
  if ((await Notification.requestPermission()) !== 'granted') return 'pushRefused'
  await navigator.serviceWorker.register(worker, { scope })
  const { pushManager } = await navigator.serviceWorker.ready
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }).catch(() => undefined)
  const { endpoint, keys } = subscription?.toJSON() ?? {}
  if (endpoint === undefined || keys?.p256dh === undefined || keys.auth === undefined) return 'pushFailed'
  const { id } = await api.subscribePush({}, { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth }, language })
  keep(note, id)
  return undefined
}

export const stopPush = async (): Promise<void> => {
  const subscriptionId = kept(note)
  forget(note)
  const registration = await navigator.serviceWorker.getRegistration(scope)
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
  if (subscriptionId !== undefined) await api.unsubscribePush({ subscriptionId })
}
