import type { SentNotice } from '@offhook/contract/v3/phone.ts'
import { shownFor } from './notifications.ts'

interface Waiting extends Event {
  waitUntil(work: Promise<unknown>): void
}

interface PushCame extends Waiting {
  data: { json(): SentNotice } | null
}

interface Clicked extends Waiting {
  action: string
  notification: { close(): void; data: SentNotice }
}

interface OpenPage {
  url: string
  focus(): Promise<unknown>
  postMessage(message: unknown): void
}

/** The used part of the worker's scope; the console is compiled with DOM types. */
interface WorkerScope {
  addEventListener(type: 'push', listener: (event: PushCame) => void): void
  addEventListener(type: 'notificationclick', listener: (event: Clicked) => void): void
  registration: { showNotification(title: string, options: object): Promise<void> }
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<OpenPage[]>
    openWindow(url: string): Promise<unknown>
  }
}

/** Call notifications, and clicks on them. Caches nothing: a new version of the console must never hide behind an old one. */
const worker = globalThis as unknown as WorkerScope
const icon = '/console/icons/offhook-192.png'

worker.addEventListener('push', (event) => {
  const push = event.data?.json()
  if (push === undefined) return
  const { title, ...options } = shownFor(push)
  event.waitUntil(worker.registration.showNotification(title, { ...options, icon, data: push }))
})

worker.addEventListener('notificationclick', (event) => {
  const { notification, action } = event
  notification.close()
  const { type, callId, decline: ticket } = notification.data
  if (type !== 'ring') event.waitUntil(open('/console/calls'))
  else event.waitUntil(action === 'decline' ? decline(ticket ?? '') : answer(callId))
})

const decline = (ticket: string): Promise<unknown> =>
  fetch('/v3/phone/declines', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ ticket }) })

/** In an open page, whatever it shows: loading another one over it would lose the person's work. */
const answer = async (callId: string): Promise<unknown> => {
  const [page] = await openPages()
  if (page === undefined) return worker.clients.openWindow(`/console/phone?answer=${encodeURIComponent(callId)}`)
  // To a page of this worker; only windows have a target origin.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  page.postMessage({ type: 'answer', callId })
  return page.focus()
}

const open = async (path: string): Promise<unknown> => {
  const [page] = await openPages()
  return page === undefined ? worker.clients.openWindow(path) : page.focus()
}

const openPages = async (): Promise<OpenPage[]> => {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  return pages.filter(({ url }) => new URL(url).pathname.startsWith('/console/'))
}
